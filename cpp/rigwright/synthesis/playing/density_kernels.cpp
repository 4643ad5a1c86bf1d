#include "rigwright/synthesis/playing/density_kernels.h"

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/synthesis/playing/density_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After the other two: it belongs to the instruction set that they chose.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::synthesis::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t side_by_side = 8;
using D = hn::CappedTag<double, side_by_side>;
using V = hn::Vec<D>;
constexpr D d;

/// k (R, 8): variance exp(-|x - c|^2 / (2 length^2)).
void kernels(const DensityQuery& q, double* k) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V scale = hn::Set(d, -0.5 / (q.length * q.length));
    const V variance = hn::Set(d, q.variance);
    for (std::int64_t i = 0; i < q.num_centers; ++i) {
        for (std::int64_t lane = 0; lane < side_by_side; lane += lanes) {
            V square = hn::Zero(d);
            for (std::int64_t axis = 0; axis < q.dimensions; ++axis) {
                const V away = hn::Sub(hn::Load(d, q.x + side_by_side * axis + lane),
                                       hn::Set(d, q.centers[q.dimensions * i + axis]));
                square = hn::MulAdd(away, away, square);
            }
            // Beyond exp(-600) a kernel is 0 for every use; the function needs arguments above -708.
            const V exponent = hn::Max(hn::Mul(scale, square), hn::Set(d, -600.0));
            hn::Store(hn::Mul(variance, hn::Exp(d, exponent)), d, k + side_by_side * i + lane);
        }
    }
}

/// product (R, 8) = A k, four rows of A at a time.
void multiply(const DensityQuery& q, const double* k, double* product) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = q.num_centers;
    for (std::int64_t lane = 0; lane < side_by_side; lane += lanes) {
        std::int64_t i = 0;
        for (; i + 4 <= count; i += 4) {
            const double* row = q.matrix + count * i;
            V sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
            for (std::int64_t j = 0; j < count; ++j) {
                const V kernel = hn::Load(d, k + side_by_side * j + lane);
                sums[0] = hn::MulAdd(hn::Set(d, row[j]), kernel, sums[0]);
                sums[1] = hn::MulAdd(hn::Set(d, row[j + count]), kernel, sums[1]);
                sums[2] = hn::MulAdd(hn::Set(d, row[j + 2 * count]), kernel, sums[2]);
                sums[3] = hn::MulAdd(hn::Set(d, row[j + 3 * count]), kernel, sums[3]);
            }
            for (std::int64_t n = 0; n < 4; ++n) hn::Store(sums[n], d, product + side_by_side * (i + n) + lane);
        }
        for (; i < count; ++i) {
            V sum = hn::Zero(d);
            for (std::int64_t j = 0; j < count; ++j) {
                sum = hn::MulAdd(hn::Set(d, q.matrix[count * i + j]), hn::Load(d, k + side_by_side * j + lane), sum);
            }
            hn::Store(sum, d, product + side_by_side * i + lane);
        }
    }
}

/// density = -1/2 log(v / variance); gradient = (A k)^T dk/dx / v, since dv/dx = -2 (A k)^T dk/dx.
void finish(const DensityQuery& q, const double* k, const double* product) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V inverse_square = hn::Set(d, 1.0 / (q.length * q.length));
    for (std::int64_t lane = 0; lane < side_by_side; lane += lanes) {
        V explained = hn::Zero(d);
        for (std::int64_t i = 0; i < q.num_centers; ++i) {
            explained = hn::MulAdd(hn::Load(d, product + side_by_side * i + lane),
                                   hn::Load(d, k + side_by_side * i + lane), explained);
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
                    hn::Mul(hn::Load(d, product + side_by_side * i + lane), hn::Load(d, k + side_by_side * i + lane));
                sum = hn::MulAdd(weight, toward, sum);
            }
            hn::Store(hn::Div(hn::Mul(sum, inverse_square), left), d, q.gradient + side_by_side * axis + lane);
        }
    }
}

void query(const DensityQuery& q) {
    double* k = q.memory;
    double* product = q.memory + side_by_side * q.num_centers;
    kernels(q, k);
    multiply(q, k, product);
    finish(q, k, product);
}

}  // namespace rigwright::synthesis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::synthesis {

HWY_EXPORT(query);

void query_density(const DensityQuery& q) {
    RIGWRIGHT_DISPATCH(query)(q);
}

}  // namespace rigwright::synthesis
#endif
