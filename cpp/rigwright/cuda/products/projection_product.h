#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"
#include "rigwright/cuda/machine/block.h"
#include "rigwright/cuda/products/tile_product.h"

namespace rigwright::cuda {

/// Targets of T frames in device memory: `width` vertices a frame, of which M count.
struct ProjectionTargets {
    std::int64_t count, width;
    const float* targets;        // (T, width, 3)
    const std::int32_t* vertex;  // (M) rows of a frame's targets
    const float* neutral;        // (M, 3)
    const double* weight;        // (M)

    /// Target minus neutral.
    RIGWRIGHT_DEVICE double offset(std::int64_t t, int coordinate) const {
        const std::int64_t at = (t * width + vertex[coordinate / 3]) * 3 + coordinate % 3;
        return static_cast<double>(targets[at]) - static_cast<double>(neutral[coordinate]);
    }
};

/// Phi^T Omega b for all frames in one launch: 64 frames x 64 columns a block of 256 threads, 8 vertices a step, the
/// vertices that none of the 64 columns moves left out; a warp 8 frames x 64 columns; a thread 8 frames x 2 columns, 32
/// apart. Columns and targets are float32, offsets, products and sums double: what follows squares the condition of the
/// columns.
struct ProjectionProduct {
    static constexpr int threads = 256;
    static constexpr int tile = 64;            // frames, and columns, of a block
    static constexpr int members = 8;          // vertices of a step
    static constexpr int depth = 3 * members;  // coordinates of a step
    static constexpr int pitch = tile + 2;     // halves bank conflicts while loading
    static constexpr int frames_each = 8;
    static constexpr int columns_each = 2;
    static_assert(threads / warp_size * frames_each == tile && warp_size * columns_each == tile);

    struct Shared {
        double b[depth][pitch];
        float phi[depth][tile];
    };
    struct Registers {
        double sum[frames_each][columns_each];
    };

    ProjectionTargets from;
    int num_vertices;                // M
    const std::int32_t* step_begin;  // (tiles of columns + 1) into the steps
    const std::int32_t* step_first;  // (steps) first vertex
    const float* numbers;            // (steps, depth, tile)
    std::int64_t num_columns;
    double* projections;  // (T, N)

    RIGWRIGHT_DEVICE int steps(Block block) const { return step_begin[block.column + 1] - step_begin[block.column]; }

    RIGWRIGHT_DEVICE void load(Block block, int thread, int step, Shared& shared) const {
        const std::int64_t at = step_begin[block.column] + step;
        for (int i = thread; i < depth * tile; i += threads) {
            const std::int64_t t = block.row * tile + i / depth;
            const int coordinate = 3 * step_first[at] + i % depth;
            const bool inside = t < from.count && coordinate < 3 * num_vertices;
            shared.b[i % depth][i / depth] = inside ? from.weight[coordinate / 3] * from.offset(t, coordinate) : 0.0;
            shared.phi[i / tile][i % tile] = numbers[at * depth * tile + i];
        }
    }

    RIGWRIGHT_DEVICE void multiply(int thread, const Shared& shared, Registers& registers) const {
        multiply_tile(thread, shared.b, shared.phi, registers.sum);
    }

    RIGWRIGHT_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const std::int64_t first_frame = block.row * tile + thread / warp_size * frames_each;
        for (int j = 0; j < columns_each; ++j) {
            const std::int64_t n = block.column * tile + thread % warp_size + warp_size * j;
            if (n >= num_columns) continue;
            for (int i = 0; i < frames_each; ++i) {
                if (first_frame + i >= from.count) break;
                projections[(first_frame + i) * num_columns + n] = registers.sum[i][j];
            }
        }
    }
};

/// b^T Omega b of every frame, by a team each.
struct ProjectionEnergies {
    static constexpr int threads = 256;

    ProjectionTargets from;
    int num_vertices;
    double* energies;  // (T)

    template <class Team>
    RIGWRIGHT_TEAM void operator()(const Team& team) const {
        for (std::int64_t t = team.index(); t < from.count; t += team.count()) {
            const Sums<1> energy = team.template sum<1>(3 * num_vertices, [&](int i, Sums<1>& sums) {
                const double b = from.offset(t, i);
                sums.value[0] += from.weight[i / 3] * b * b;
            });
            team.each(1, [&](int) { energies[t] = energy.value[0]; });
        }
    }
};

}  // namespace rigwright::cuda
