#include "rigwright/linalg/dense/product.h"

#include <algorithm>

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/linalg/dense/product.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::linalg::HWY_NAMESPACE {
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
static_assert(depth_per_run * columns_per_tile + rows_per_tile * columns_per_tile <= product_workspace);

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

void add_panels(std::int64_t rows, std::int64_t columns, std::int64_t depth, double scale, LeftMatrix a, RightMatrix b,
                double* out, std::int64_t stride, double* workspace) {
    double* panel = workspace;
    double* tile = workspace + depth_per_run * columns_per_tile;
    for (std::int64_t k = 0; k < depth; k += depth_per_run) {
        const std::int64_t run = std::min(depth_per_run, depth - k);
        for (std::int64_t j = 0; j < columns; j += columns_per_tile) {
            const std::int64_t width = std::min(columns_per_tile, columns - j);
            for (std::int64_t p = 0; p < run; ++p) {
                double* to = panel + p * columns_per_tile;
                std::copy_n(b.data + (k + p) * b.stride + j, width, to);
                std::fill(to + width, to + columns_per_tile, 0.0);
            }
            LeftMatrix left{a.data + k * a.depth_stride, a.row_stride, a.depth_stride};
            double* to = out + j;
            std::int64_t i = 0;
            for (; i + rows_per_tile <= rows; i += rows_per_tile) {
                add_tile<rows_per_tile>(width, run, scale, left, panel, to, stride, tile);
                left.data += rows_per_tile * left.row_stride;
                to += rows_per_tile * stride;
            }
            for (; i < rows; ++i, left.data += left.row_stride, to += stride) {
                add_tile<1>(width, run, scale, left, panel, to, stride, tile);
            }
        }
    }
}

}  // namespace rigwright::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::linalg {

HWY_EXPORT(add_panels);

void add_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, double scale, LeftMatrix a, RightMatrix b,
                 double* out, std::int64_t stride, double* workspace) {
    RIGWRIGHT_DISPATCH(add_panels)(rows, columns, depth, scale, a, b, out, stride, workspace);
}

}  // namespace rigwright::linalg
#endif
