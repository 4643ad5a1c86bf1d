#include "rigcast/linalg/band_kernels.h"

#include <algorithm>

#include "rigcast/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/linalg/band_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::linalg::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int rows = static_cast<int>(BandKernels<double>::rows_per_tile);
/// Vectors of the full register, at most a cache line.
template <class Real>
using Full = hn::CappedTag<Real, 64 / sizeof(Real)>;
/// Vectors of at most eight numbers, of which numbers of columns are multiples.
template <class Real>
using Eight = hn::CappedTag<Real, rows>;

/// `eliminate` for `Vectors` vectors of columns, `offset` columns right of the sources' first, in registers throughout.
template <int Vectors, class D, class Real = hn::TFromD<D>>
HWY_INLINE void eliminate_tile(D d, const EliminatedRows<Real>* sources, std::int64_t num_sources, std::int64_t offset,
                               const Real* triangle, Real* tile, std::int64_t stride) {
    using V = hn::Vec<D>;
    constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
    V sum[rows][Vectors];
    for (int p = 0; p < rows; ++p) {
        for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::LoadU(d, tile + p * stride + v * lanes);
    }
    for (std::int64_t s = 0; s < num_sources; ++s) {
        for (std::int64_t k = 0; k < sources[s].count; ++k) {
            const Real* left = sources[s].left + k * sources[s].stride;
            const Real* right = sources[s].right + k * sources[s].stride + offset;
            V row[Vectors];
            for (int v = 0; v < Vectors; ++v) row[v] = hn::LoadU(d, right + v * lanes);
            for (int p = 0; p < rows; ++p) {
                const V coefficient = hn::Set(d, left[p]);
                for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::NegMulAdd(coefficient, row[v], sum[p][v]);
            }
        }
    }
    for (int p = 0; p < rows; ++p) {
        if (triangle != nullptr) {
            const V inverse = hn::Set(d, triangle[p * rows + p]);
            for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::Mul(sum[p][v], inverse);
            for (int q = p + 1; q < rows; ++q) {
                const V coefficient = hn::Set(d, triangle[p * rows + q]);
                for (int v = 0; v < Vectors; ++v) sum[q][v] = hn::NegMulAdd(coefficient, sum[p][v], sum[q][v]);
            }
        }
        for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[p][v], d, tile + p * stride + v * lanes);
    }
}

template <class Real>
void eliminate(const EliminatedRows<Real>* sources, std::int64_t num_sources, const Real* triangle, Real* tile,
               std::int64_t stride, std::int64_t columns) {
    constexpr Full<Real> full;
    constexpr Eight<Real> eight;
    constexpr std::int64_t lanes = hn::MaxLanes(full);
    std::int64_t j = 0;
    if constexpr (lanes * sizeof(Real) == 64) {
        // 64-byte vectors come with 32 registers: 24 sums, a row of 3 and a coefficient. With 16 registers one vector
        // of sums per row is all that fits.
        for (; j + 3 * lanes <= columns; j += 3 * lanes) {
            eliminate_tile<3>(full, sources, num_sources, j, triangle, tile + j, stride);
        }
        for (; j + 2 * lanes <= columns; j += 2 * lanes) {
            eliminate_tile<2>(full, sources, num_sources, j, triangle, tile + j, stride);
        }
    }
    for (; j + lanes <= columns; j += lanes)
        eliminate_tile<1>(full, sources, num_sources, j, triangle, tile + j, stride);
    for (; j < columns; j += hn::MaxLanes(eight)) {
        eliminate_tile<1>(eight, sources, num_sources, j, triangle, tile + j, stride);
    }
}

template <class Real>
void subtract_rows(const Real* coefficients, const Real* tile, std::int64_t stride, Real* x, std::int64_t columns) {
    constexpr Eight<Real> d;
    hn::Vec<Eight<Real>> coefficient[rows];
    for (int p = 0; p < rows; ++p) coefficient[p] = hn::Set(d, coefficients[p]);
    for (std::int64_t j = 0; j < columns; j += hn::MaxLanes(d)) {
        auto sum = hn::LoadU(d, x + j);
        for (int p = 0; p < rows; ++p) sum = hn::NegMulAdd(coefficient[p], hn::LoadU(d, tile + p * stride + j), sum);
        hn::StoreU(sum, d, x + j);
    }
}

template <class Real>
void multiply_rows(const Real* tile, std::int64_t stride, const Real* x, std::int64_t columns, Real* products) {
    constexpr Eight<Real> d;
    hn::Vec<Eight<Real>> sum[rows];
    for (int p = 0; p < rows; ++p) sum[p] = hn::Zero(d);
    for (std::int64_t j = 0; j < columns; j += hn::MaxLanes(d)) {
        const auto x_j = hn::LoadU(d, x + j);
        for (int p = 0; p < rows; ++p) sum[p] = hn::MulAdd(x_j, hn::LoadU(d, tile + p * stride + j), sum[p]);
    }
    for (int p = 0; p < rows; ++p) products[p] = hn::GetLane(hn::SumOfLanes(d, sum[p]));
}

template <class Real>
const BandKernels<Real>* band_table() {
    static constexpr BandKernels<Real> all{&eliminate<Real>, &subtract_rows<Real>, &multiply_rows<Real>};
    return &all;
}

const BandKernels<float>* band_table_single() {
    return band_table<float>();
}

const BandKernels<double>* band_table_double() {
    return band_table<double>();
}

}  // namespace rigcast::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::linalg {

RIGCAST_EXPORT(band_table_single);
RIGCAST_EXPORT(band_table_double);

template <>
RIGCAST_KERNEL_TABLE(BandKernels<float>, band_kernels<float>, band_table_single)

template <>
RIGCAST_KERNEL_TABLE(BandKernels<double>, band_kernels<double>, band_table_double)

}  // namespace rigcast::linalg
#endif
