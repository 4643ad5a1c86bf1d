#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/products/tile_product.h"

namespace rigcast::cuda {

/// Targets of T frames in device memory, with `width` vertices per frame, M of which are used.
struct ProjectionTargets {
    std::int64_t count;  // T
    std::int64_t width;
    const float* targets;        // (T, width, 3)
    const std::int32_t* vertex;  // (M) among the vertices of a frame
    const float* neutral;        // (M, 3)
    const double* weight;        // (M)

    /// Target minus neutral, in a coordinate of the M vertices.
    RIGCAST_DEVICE double offset(std::int64_t t, int coordinate) const {
        const std::int64_t at = (t * width + vertex[coordinate / 3]) * 3 + coordinate % 3;
        return static_cast<double>(targets[at]) - static_cast<double>(neutral[coordinate]);
    }
};

/// The projections Phi^T Omega b of all frames in one launch. Columns and targets are float32; offsets, products and
/// sums are double, since the Gram matrix squares the condition number of the columns.
///
/// A block of 256 threads computes 64 frames x 64 columns, 8 vertices per step; vertices that none of the 64 columns
/// moves are left out. A warp computes 8 frames x 64 columns, a thread 8 frames x 2 columns, 32 apart.
struct ProjectionProduct {
    static constexpr int threads = 256;
    static constexpr int frames_per_block = 64;
    static constexpr int columns_per_tile = 64;
    static constexpr int coordinates_per_step = 3 * 8;
    static constexpr int pitch = frames_per_block + 2;  // halves bank conflicts while loading
    static constexpr int frames_per_thread = 8;
    static constexpr int columns_per_thread = 2;
    static_assert(threads / warp_size * frames_per_thread == frames_per_block);
    static_assert(warp_size * columns_per_thread == columns_per_tile);
    static_assert(frames_per_block == columns_per_tile);  // `load` fills both parts of Shared in one loop

    struct Shared {
        double b[coordinates_per_step][pitch];
        float phi[coordinates_per_step][columns_per_tile];
    };
    struct Registers {
        double sum[frames_per_thread][columns_per_thread];
    };

    ProjectionTargets from;
    int num_vertices;                // M
    const std::int32_t* step_begin;  // (tiles + 1) into the steps
    const std::int32_t* step_first;  // (steps) first of its vertices
    const float* numbers;            // (steps, coordinates_per_step, columns_per_tile)
    std::int64_t num_columns;
    double* projections;  // (T, N)

    RIGCAST_DEVICE int steps(Block block) const { return step_begin[block.column + 1] - step_begin[block.column]; }

    RIGCAST_DEVICE void load(Block block, int thread, int step, Shared& shared) const {
        const std::int64_t at = step_begin[block.column] + step;
        for (int i = thread; i < coordinates_per_step * frames_per_block; i += threads) {
            const std::int64_t t = block.row * frames_per_block + i / coordinates_per_step;
            const int coordinate = 3 * step_first[at] + i % coordinates_per_step;
            const bool inside = t < from.count && coordinate < 3 * num_vertices;
            shared.b[i % coordinates_per_step][i / coordinates_per_step] =
                inside ? from.weight[coordinate / 3] * from.offset(t, coordinate) : 0.0;
            shared.phi[i / columns_per_tile][i % columns_per_tile] =
                numbers[at * coordinates_per_step * columns_per_tile + i];
        }
    }

    RIGCAST_DEVICE void multiply(int thread, const Shared& shared, Registers& registers) const {
        multiply_tile(thread, shared.b, shared.phi, registers.sum);
    }

    RIGCAST_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const std::int64_t first_frame = block.row * frames_per_block + thread / warp_size * frames_per_thread;
        for (int j = 0; j < columns_per_thread; ++j) {
            const std::int64_t n = block.column * columns_per_tile + thread % warp_size + warp_size * j;
            if (n >= num_columns) continue;
            for (int i = 0; i < frames_per_thread; ++i) {
                if (first_frame + i >= from.count) break;
                projections[(first_frame + i) * num_columns + n] = registers.sum[i][j];
            }
        }
    }
};

/// The energies b^T Omega b of all frames; each frame by one team.
struct ProjectionEnergies {
    static constexpr int threads = 256;

    ProjectionTargets from;
    int num_vertices;
    double* energies;  // (T)

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        for (std::int64_t t = team.index(); t < from.count; t += team.count()) {
            const Sums<1> energy = team.template sum<1>(3 * num_vertices, [&](int i, Sums<1>& sums) {
                const double b = from.offset(t, i);
                sums.value[0] += from.weight[i / 3] * b * b;
            });
            team.each(1, [&](int) { energies[t] = energy.value[0]; });
        }
    }
};

}  // namespace rigcast::cuda
