#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/machine/matrix_units.h"

namespace rigcast::cuda {

/// Number `at` of targets in float32 or float16.
RIGCAST_DEVICE inline float target_at(const void* targets, bool is_float16, std::int64_t at) {
    return is_float16 ? widened_float16(static_cast<const std::uint16_t*>(targets)[at])
                      : static_cast<const float*>(targets)[at];
}

/// An element kernel of one row: to(i) = targets(first + i).
struct WidenTargets {
    const void* targets;
    bool is_float16;
    std::int64_t first;
    float* to;

    RIGCAST_DEVICE void operator()(std::int64_t, std::int64_t i) const {
        to[i] = target_at(targets, is_float16, first + i);
    }
};

/// Targets of T frames in device memory, with `width` vertices per frame, M of which are used.
struct ProjectionTargets {
    std::int64_t count;  // T
    std::int64_t width;
    const void* targets;  // (T, width, 3) float32, or float16
    bool is_float16;
    const std::int32_t* vertex;  // (M) among the vertices of a frame
    const float* neutral;        // (M, 3)
    const double* weight;        // (M)

    /// Target minus neutral, in a coordinate of the M vertices.
    RIGCAST_DEVICE double offset(std::int64_t t, int coordinate) const {
        const std::int64_t at = (t * width + vertex[coordinate / 3]) * 3 + coordinate % 3;
        const float target = target_at(targets, is_float16, at);
        return static_cast<double>(target) - static_cast<double>(neutral[coordinate]);
    }
};

/// The numbers of a 16 x 8 tile of columns (columns, coordinates) by lanes, in the order of DoubleTile.
struct ColumnTile {
    struct alignas(16) Lane {
        float number[DoubleTile::row_numbers];
    };
    Lane lane[lanes_per_warp];
};

/// The projections Phi^T Omega b of all frames in one launch, on the matrix units. Columns and targets are float32 (or
/// float16 targets); offsets, products and sums are double, since the Gram matrix squares the condition number of the
/// columns.
///
/// A block of 256 threads computes 64 columns x 64 frames, 8 vertices per step; vertices that none of the 64 columns
/// moves are left out. A warp computes 32 columns x 16 frames.
struct ProjectionProduct {
    static constexpr int threads = 256;
    static constexpr int blocks = 2;
    static constexpr int frames_per_block = 64;
    static constexpr int columns_per_tile = 64;
    static constexpr int coordinates_per_step = 3 * 8;
    static constexpr int depths = coordinates_per_step / DoubleTile::depth;
    static constexpr int row_tiles = columns_per_tile / DoubleTile::rows;
    static constexpr int column_tiles = frames_per_block / DoubleTile::columns;
    static constexpr int tiles_per_step = depths * row_tiles;
    static constexpr int warps = threads / lanes_per_warp;
    static constexpr int numbers_per_thread = (tiles_per_step + warps - 1) / warps;  // fragments
    static constexpr int targets_per_thread = depths * column_tiles / warps;
    static constexpr int rows_per_warp = 2;
    static constexpr int columns_per_warp = 2;
    using WarpPlace = PlaceOfWarp<row_tiles, rows_per_warp, columns_per_warp>;
    static_assert(row_tiles / rows_per_warp * (column_tiles / columns_per_warp) == warps);

    struct Shared {
        DoubleRowTile phi[depths][row_tiles];
        DoubleColumnTile b[depths][column_tiles];
    };
    struct Fetched {
        ColumnTile::Lane phi[numbers_per_thread];
        double b[targets_per_thread][DoubleTile::column_numbers];
    };
    struct Registers {
        double sum[rows_per_warp][columns_per_warp][DoubleTile::sums];
    };

    ProjectionTargets from;
    int num_vertices;                // M
    const std::int32_t* step_begin;  // (tiles + 1) into the steps
    const std::int32_t* step_first;  // (steps) first of its vertices
    const ColumnTile* numbers;       // (steps, depths, row_tiles)
    std::int64_t num_columns;
    double* projections;  // (T, N)

    RIGCAST_DEVICE int steps(Block block) const { return step_begin[block.column + 1] - step_begin[block.column]; }

    RIGCAST_DEVICE void fetch(Block block, int thread, int step, Fetched& fetched) const {
        const std::int64_t at = step_begin[block.column] + step;
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int i = 0; i < numbers_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            if (number < tiles_per_step) fetched.phi[i] = numbers[at * tiles_per_step + number].lane[lane];
        }
        RIGCAST_UNROLL
        for (int i = 0; i < targets_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            const std::int64_t t =
                block.row * frames_per_block + number % column_tiles * DoubleTile::columns + DoubleTile::column(lane);
            RIGCAST_UNROLL
            for (int k = 0; k < DoubleTile::column_numbers; ++k) {
                const int coordinate =
                    3 * step_first[at] + number / column_tiles * DoubleTile::depth + DoubleTile::column_depth(lane, k);
                const bool inside = t < from.count && coordinate < 3 * num_vertices;
                fetched.b[i][k] = inside ? from.weight[coordinate / 3] * from.offset(t, coordinate) : 0.0;
            }
        }
    }

    RIGCAST_DEVICE void put(Block, int thread, int, const Fetched& fetched, Shared& shared) const {
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int i = 0; i < numbers_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            if (number >= tiles_per_step) break;
            RIGCAST_UNROLL
            for (int half = 0; half < 2; ++half) {
                shared.phi[number / row_tiles][number % row_tiles].half[half][lane] = {
                    {fetched.phi[i].number[2 * half], fetched.phi[i].number[2 * half + 1]}};
            }
        }
        RIGCAST_UNROLL
        for (int i = 0; i < targets_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            shared.b[number / column_tiles][number % column_tiles].lane[lane] = {{fetched.b[i][0], fetched.b[i][1]}};
        }
    }

    RIGCAST_DEVICE void multiply(Block, int thread, const Shared& shared, Registers& registers) const {
        const int warp = thread / lanes_per_warp;
        multiply_doubles<depths>(thread % lanes_per_warp, &shared.phi[0][WarpPlace::first_row(warp)], {1, row_tiles},
                                 &shared.b[0][WarpPlace::first_column(warp)], {1, column_tiles}, registers.sum);
    }

    RIGCAST_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const int warp = thread / lanes_per_warp;
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int i = 0; i < rows_per_warp; ++i) {
            RIGCAST_UNROLL
            for (int j = 0; j < columns_per_warp; ++j) {
                RIGCAST_UNROLL
                for (int s = 0; s < DoubleTile::sums; ++s) {
                    const std::int64_t n = block.column * columns_per_tile +
                                           (WarpPlace::first_row(warp) + i) * DoubleTile::rows +
                                           DoubleTile::sum_row(lane, s);
                    const std::int64_t t = block.row * frames_per_block +
                                           (WarpPlace::first_column(warp) + j) * DoubleTile::columns +
                                           DoubleTile::sum_column(lane, s);
                    if (n < num_columns && t < from.count) projections[t * num_columns + n] = registers.sum[i][j][s];
                }
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
