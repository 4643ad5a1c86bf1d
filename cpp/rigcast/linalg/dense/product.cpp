#include "rigcast/linalg/dense/product.h"

#include <algorithm>

#include "rigcast/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/linalg/dense/product.cpp"  // compiled once for every instruction set
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::linalg::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::int64_t lanes = hn::MaxLanes(d);

// A tile of the result: its sums fill 24 of 32 registers, or 12 of 16.
constexpr int rows_per_tile = lanes == 8 ? 8 : 4;
constexpr int vectors_per_tile = 3;
constexpr std::int64_t columns_per_tile = vectors_per_tile * lanes;

/// Rows of b that are copied at a time: with as many numbers of each row of a, they stay in the L1 cache.
constexpr std::int64_t depth_per_run = 160;
/// Rows of a that are copied at a time, into tiles whose numbers are adjacent: read in place, the numbers of a tile lie
/// on a page of memory each, and every panel of b would look them up again.
constexpr std::int64_t copied_rows = 256;
constexpr std::int64_t panel_size = depth_per_run * columns_per_tile;
static_assert(panel_size + rows_per_tile * columns_per_tile + copied_rows * depth_per_run <= product_workspace);

/// Adds scale times the product of `Rows` rows of a and a copied panel of b to a tile of `columns` columns.
template <int Rows>
HWY_INLINE void add_tile(std::int64_t columns, std::int64_t depth, double scale, LeftMatrix a, const double* panel,
                         double* out, std::int64_t stride, double* tile) {
    V sum[Rows][vectors_per_tile];
    for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < vectors_per_tile; ++v) sum[r][v] = hn::Zero(d);
    }
    for (std::int64_t k = 0; k < depth; ++k, panel += columns_per_tile) {
        V b[vectors_per_tile];
        for (int v = 0; v < vectors_per_tile; ++v) b[v] = hn::Load(d, panel + v * lanes);
        const double* column = a.data + k * a.depth_stride;
        for (int r = 0; r < Rows; ++r) {
            const V entry = hn::Set(d, column[r * a.row_stride]);
            for (int v = 0; v < vectors_per_tile; ++v) sum[r][v] = hn::MulAdd(entry, b[v], sum[r][v]);
        }
    }
    const V factor = hn::Set(d, scale);
    const bool whole = columns == columns_per_tile;
    for (int r = 0; r < Rows; ++r) {
        double* to = out + r * stride;
        if (!whole) {
            std::copy_n(to, columns, tile);
            std::fill(tile + columns, tile + columns_per_tile, 0.0);
            to = tile;
        }
        for (int v = 0; v < vectors_per_tile; ++v) {
            hn::StoreU(hn::MulAdd(factor, sum[r][v], hn::LoadU(d, to + v * lanes)), d, to + v * lanes);
        }
        if (!whole) std::copy_n(tile, columns, out + r * stride);
    }
}

/// Copies whole tiles of rows of a: entry (k, r) of a tile stands at rows_per_tile k + r.
void copy_tiles(std::int64_t rows, std::int64_t depth, LeftMatrix a, double* tiles) {
    for (std::int64_t i = 0; i + rows_per_tile <= rows; i += rows_per_tile, tiles += rows_per_tile * depth) {
        const double* tile = a.data + i * a.row_stride;
        for (std::int64_t k = 0; k < depth; ++k) {
            for (int r = 0; r < rows_per_tile; ++r) {
                tiles[rows_per_tile * k + r] = tile[r * a.row_stride + k * a.depth_stride];
            }
        }
    }
}

void copy_panel(std::int64_t width, std::int64_t depth, RightMatrix b, double* panel) {
    for (std::int64_t k = 0; k < depth; ++k) {
        double* to = panel + k * columns_per_tile;
        std::copy_n(b.data + k * b.stride, width, to);
        std::fill(to + width, to + columns_per_tile, 0.0);
    }
}

/// Asks for rows begin to end - 1 of a panel that is copied soon: its rows are far apart, and wait for memory one by
/// one.
void prefetch_panel(std::int64_t begin, std::int64_t end, RightMatrix b) {
    for (std::int64_t k = begin; k < end; ++k) {
        for (std::int64_t v = 0; v < columns_per_tile; v += 8) hwy::Prefetch(b.data + k * b.stride + v);
    }
}

/// One run of k for at most copied_rows rows.
void add_run(std::int64_t rows, std::int64_t columns, std::int64_t run, double scale, LeftMatrix a, RightMatrix b,
             double* out, std::int64_t stride, double* workspace) {
    double* panel = workspace;
    double* tile = panel + panel_size;
    double* tiles = tile + rows_per_tile * columns_per_tile;
    const bool copied = columns > 2 * columns_per_tile;
    if (copied) copy_tiles(rows, run, a, tiles);
    for (std::int64_t j = 0; j < columns; j += columns_per_tile) {
        const std::int64_t width = std::min(columns_per_tile, columns - j);
        copy_panel(width, run, {b.data + j, b.stride}, panel);
        const bool goes_on = j + 2 * columns_per_tile <= columns;
        std::int64_t i = 0;
        for (; i + rows_per_tile <= rows; i += rows_per_tile) {
            if (goes_on) {
                prefetch_panel(run * i / rows, run * (i + rows_per_tile) / rows,
                               {b.data + j + columns_per_tile, b.stride});
            }
            const LeftMatrix left = copied ? LeftMatrix{tiles + i * run, 1, rows_per_tile}
                                           : LeftMatrix{a.data + i * a.row_stride, a.row_stride, a.depth_stride};
            add_tile<rows_per_tile>(width, run, scale, left, panel, out + i * stride + j, stride, tile);
        }
        for (; i < rows; ++i) {
            const LeftMatrix left{a.data + i * a.row_stride, a.row_stride, a.depth_stride};
            add_tile<1>(width, run, scale, left, panel, out + i * stride + j, stride, tile);
        }
    }
}

void add_panels(std::int64_t rows, std::int64_t columns, std::int64_t depth, double scale, LeftMatrix a, RightMatrix b,
                double* out, std::int64_t stride, double* workspace) {
    for (std::int64_t k = 0; k < depth; k += depth_per_run) {
        const std::int64_t run = std::min(depth_per_run, depth - k);
        for (std::int64_t i = 0; i < rows; i += copied_rows) {
            const LeftMatrix left{a.data + i * a.row_stride + k * a.depth_stride, a.row_stride, a.depth_stride};
            add_run(std::min(copied_rows, rows - i), columns, run, scale, left, {b.data + k * b.stride, b.stride},
                    out + i * stride, stride, workspace);
        }
    }
}

}  // namespace rigcast::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::linalg {

RIGCAST_EXPORT(add_panels);

void add_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, double scale, LeftMatrix a, RightMatrix b,
                 double* out, std::int64_t stride, double* workspace) {
    RIGCAST_DISPATCH(add_panels)(rows, columns, depth, scale, a, b, out, stride, workspace);
}

}  // namespace rigcast::linalg
#endif
