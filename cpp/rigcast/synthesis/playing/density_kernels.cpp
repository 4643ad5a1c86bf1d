#include "rigcast/synthesis/playing/density_kernels.h"

#include <algorithm>

#include "rigcast/core/dispatch.h"
#include "rigcast/synthesis/playing/density_field.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/synthesis/playing/density_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After the other two: it belongs to the instruction set that they chose.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::synthesis::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t side_by_side = DensityField::lanes;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::int64_t lanes = hn::MaxLanes(d);

/// Columns of k that are multiplied at a time: they stay in the L1 cache for all rows.
constexpr std::int64_t centers_per_run = 128;

/// k (R, width): variance exp(-|x - c|^2 / (2 length^2)).
void kernels(const DensityQuery& q, double* k) {
    const V scale = hn::Set(d, -0.5 / (q.length * q.length));
    const V variance = hn::Set(d, q.variance);
    for (std::int64_t i = 0; i < q.num_centers; ++i) {
        for (std::int64_t lane = 0; lane < q.width; lane += lanes) {
            V square = hn::Zero(d);
            for (std::int64_t axis = 0; axis < q.dimensions; ++axis) {
                const V away = hn::Sub(hn::Load(d, q.x + side_by_side * axis + lane),
                                       hn::Set(d, q.centers[q.dimensions * i + axis]));
                square = hn::MulAdd(away, away, square);
            }
            // Beyond exp(-600) a kernel is 0 for every use; the function needs arguments above -708.
            const V exponent = hn::Max(hn::Mul(scale, square), hn::Set(d, -600.0));
            hn::Store(hn::Mul(variance, hn::Exp(d, exponent)), d, k + q.width * i + lane);
        }
    }
}

/// Adds the products of `Rows` rows of A, from i on, and columns begin to end - 1, times `Vectors` vectors of k.
template <int Rows, int Vectors>
HWY_INLINE void add_products(const DensityQuery& q, const double* k, std::int64_t i, std::int64_t begin,
                             std::int64_t end, double* product) {
    const double* rows[Rows];
    V sums[Rows][Vectors];
    for (int r = 0; r < Rows; ++r) {
        rows[r] = q.matrix + q.num_centers * (i + r);
        for (int v = 0; v < Vectors; ++v) {
            sums[r][v] = begin == 0 ? hn::Zero(d) : hn::Load(d, product + q.width * (i + r) + lanes * v);
        }
    }
    for (std::int64_t j = begin; j < end; ++j) {
        V kernel[Vectors];
        for (int v = 0; v < Vectors; ++v) kernel[v] = hn::Load(d, k + q.width * j + lanes * v);
        for (int r = 0; r < Rows; ++r) {
            const V entry = hn::Set(d, rows[r][j]);
            for (int v = 0; v < Vectors; ++v) sums[r][v] = hn::MulAdd(entry, kernel[v], sums[r][v]);
        }
    }
    for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Vectors; ++v) hn::Store(sums[r][v], d, product + q.width * (i + r) + lanes * v);
    }
}

template <int Vectors>
void multiply_vectors(const DensityQuery& q, const double* k, double* product) {
    const std::int64_t count = q.num_centers;
    // As many sums as hide the latency of a multiplication, in 32 registers or in 16.
    constexpr int rows = lanes == 8 ? (Vectors <= 2 ? 8 : 4) : (Vectors == 1 ? 8 : Vectors == 2 ? 4 : 2);
    for (std::int64_t begin = 0; begin < count; begin += centers_per_run) {
        const std::int64_t end = std::min(begin + centers_per_run, count);
        std::int64_t i = 0;
        for (; i + rows <= count; i += rows) add_products<rows, Vectors>(q, k, i, begin, end, product);
        for (; i < count; ++i) add_products<1, Vectors>(q, k, i, begin, end, product);
    }
}

/// product (R, width) = A k.
void multiply(const DensityQuery& q, const double* k, double* product) {
    for (std::int64_t lane = 0; lane < q.width; lane += 4 * lanes) {
        const std::int64_t vectors = std::min<std::int64_t>(4, (q.width - lane) / lanes);
        const double* from = k + lane;
        double* to = product + lane;
        if (vectors == 4) multiply_vectors<4>(q, from, to);
        if (vectors == 3) multiply_vectors<3>(q, from, to);
        if (vectors == 2) multiply_vectors<2>(q, from, to);
        if (vectors == 1) multiply_vectors<1>(q, from, to);
    }
}

/// density = -1/2 log(v / variance); gradient = (A k)^T dk/dx / v, since dv/dx = -2 (A k)^T dk/dx.
void finish(const DensityQuery& q, const double* k, const double* product) {
    const V inverse_square = hn::Set(d, 1.0 / (q.length * q.length));
    for (std::int64_t lane = 0; lane < q.width; lane += lanes) {
        V explained = hn::Zero(d);
        for (std::int64_t i = 0; i < q.num_centers; ++i) {
            explained =
                hn::MulAdd(hn::Load(d, product + q.width * i + lane), hn::Load(d, k + q.width * i + lane), explained);
        }
        // Rounding may leave nothing of the variance at points that the space knows exactly.
        const V left = hn::Max(hn::Sub(hn::Set(d, q.variance), explained), hn::Set(d, 1e-12 * q.variance));
        const V log = hn::Log(d, hn::Div(left, hn::Set(d, q.variance)));
        hn::Store(hn::Mul(hn::Set(d, -0.5), log), d, q.density + lane);
        for (std::int64_t axis = 0; axis < q.dimensions; ++axis) {
            const V x = hn::Load(d, q.x + side_by_side * axis + lane);
            V sum = hn::Zero(d);
            for (std::int64_t i = 0; i < q.num_centers; ++i) {
                const V toward = hn::Sub(hn::Set(d, q.centers[q.dimensions * i + axis]), x);
                const V weight =
                    hn::Mul(hn::Load(d, product + q.width * i + lane), hn::Load(d, k + q.width * i + lane));
                sum = hn::MulAdd(weight, toward, sum);
            }
            hn::Store(hn::Div(hn::Mul(sum, inverse_square), left), d, q.gradient + side_by_side * axis + lane);
        }
    }
}

void query(const DensityQuery& q) {
    double* k = q.memory;
    double* product = q.memory + q.width * q.num_centers;
    kernels(q, k);
    multiply(q, k, product);
    finish(q, k, product);
}

}  // namespace rigcast::synthesis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::synthesis {

RIGCAST_EXPORT(query);

void query_density(const DensityQuery& q) {
    RIGCAST_DISPATCH(query)(q);
}

}  // namespace rigcast::synthesis
#endif
