#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/inverse/jobs.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/matrix_units.h"

namespace rigcast::cuda {

/// The residuals G phi - p of all active jobs as one product in float64 on the matrix units.
///
/// A block of 256 threads computes 64 columns of the rig for 64 jobs, 16 columns deep per step; a warp 32 x 16. Its
/// floor: 2 N^2 operations per job (370,000 for N = 430), 16 N bytes read and 8 N written of the job; the Gram matrix
/// (8 N^2 bytes) stays in the L2 cache.
struct GramResiduals {
    static constexpr int threads = 256;
    static constexpr int blocks = 2;
    static constexpr int columns_per_tile = 64;
    static constexpr int jobs_per_block = 64;
    static constexpr int depths = 2;  // of 8 columns, per step
    static constexpr int columns_per_step = depths * DoubleTile::depth;
    static constexpr int row_tiles = columns_per_tile / DoubleTile::rows;
    static constexpr int column_tiles = jobs_per_block / DoubleTile::columns;
    static constexpr int tiles_per_step = depths * row_tiles;
    static constexpr int warps = threads / lanes_per_warp;
    static constexpr int gram_per_thread = tiles_per_step / warps;  // fragments
    static constexpr int jobs_per_thread = depths * column_tiles / warps;
    static constexpr int rows_per_warp = 2;
    static constexpr int columns_per_warp = 2;
    using WarpPlace = PlaceOfWarp<row_tiles, rows_per_warp, columns_per_warp>;
    static_assert(row_tiles / rows_per_warp * (column_tiles / columns_per_warp) == warps);

    struct Shared {
        DoubleRowTile gram[depths][row_tiles];
        DoubleColumnTile phi[depths][column_tiles];
    };
    struct Fetched {
        TwoDoubles gram[gram_per_thread][2];
        TwoDoubles phi[jobs_per_thread];
    };
    struct Registers {
        double sum[rows_per_warp][columns_per_warp][DoubleTile::sums];
    };

    const DoubleRowTile* gram;   // (tiles of columns, steps, depths, row_tiles), 0 beyond the matrix
    std::int64_t num_columns;    // N
    const std::int32_t* active;  // (count) slots
    std::int64_t count;
    const std::int32_t* frame;  // (S)
    const double* phi;          // (S, N)
    const double* projection;   // (T, N)
    double* residual;           // (S, N)

    RIGCAST_DEVICE int steps(Block) const {
        return static_cast<int>((num_columns + columns_per_step - 1) / columns_per_step);
    }

    RIGCAST_DEVICE void fetch(Block block, int thread, int step, Fetched& fetched) const {
        const int lane = thread % lanes_per_warp;
        const std::int64_t first_tile = (block.column * steps(block) + step) * tiles_per_step;
        RIGCAST_UNROLL
        for (int i = 0; i < gram_per_thread; ++i) {
            const DoubleRowTile& tile = gram[first_tile + thread / lanes_per_warp + i * warps];
            fetched.gram[i][0] = tile.half[0][lane];
            fetched.gram[i][1] = tile.half[1][lane];
        }
        RIGCAST_UNROLL
        for (int i = 0; i < jobs_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            const std::int64_t job =
                block.row * jobs_per_block + number % column_tiles * DoubleTile::columns + DoubleTile::column(lane);
            const double* row = job < count ? phi + active[job] * num_columns : nullptr;
            RIGCAST_UNROLL
            for (int k = 0; k < DoubleTile::column_numbers; ++k) {
                const int n = step * columns_per_step + number / column_tiles * DoubleTile::depth +
                              DoubleTile::column_depth(lane, k);
                fetched.phi[i].value[k] = row != nullptr && n < num_columns ? row[n] : 0.0;
            }
        }
    }

    RIGCAST_DEVICE void put(Block, int thread, int, const Fetched& fetched, Shared& shared) const {
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int i = 0; i < gram_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            DoubleRowTile& tile = shared.gram[number / row_tiles][number % row_tiles];
            tile.half[0][lane] = fetched.gram[i][0];
            tile.half[1][lane] = fetched.gram[i][1];
        }
        RIGCAST_UNROLL
        for (int i = 0; i < jobs_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            shared.phi[number / column_tiles][number % column_tiles].lane[lane] = fetched.phi[i];
        }
    }

    RIGCAST_DEVICE void multiply(Block, int thread, const Shared& shared, Registers& registers) const {
        const int warp = thread / lanes_per_warp;
        multiply_doubles<depths>(thread % lanes_per_warp, &shared.gram[0][WarpPlace::first_row(warp)], {1, row_tiles},
                                 &shared.phi[0][WarpPlace::first_column(warp)], {1, column_tiles}, registers.sum);
    }

    RIGCAST_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const int warp = thread / lanes_per_warp;
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int j = 0; j < columns_per_warp; ++j) {
            RIGCAST_UNROLL
            for (int s = 0; s < DoubleTile::sums; ++s) {
                const std::int64_t job = block.row * jobs_per_block +
                                         (WarpPlace::first_column(warp) + j) * DoubleTile::columns +
                                         DoubleTile::sum_column(lane, s);
                if (job >= count) continue;
                const std::int64_t slot = active[job];
                const double* p = projection + frame[slot] * num_columns;
                RIGCAST_UNROLL
                for (int i = 0; i < rows_per_warp; ++i) {
                    const std::int64_t n = block.column * columns_per_tile +
                                           (WarpPlace::first_row(warp) + i) * DoubleTile::rows +
                                           DoubleTile::sum_row(lane, s);
                    if (n < num_columns) residual[slot * num_columns + n] = registers.sum[i][j][s] - p[n];
                }
            }
        }
    }
};

}  // namespace rigcast::cuda
