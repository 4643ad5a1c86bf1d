#include "inverse/kernels.h"

#include <cmath>

#include "core/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inverse/kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::inverse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr D d;

double dot(const double* x, const double* y, std::int64_t n) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    V a = hn::Zero(d), b = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        a = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), a);
        b = hn::MulAdd(hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes), b);
    }
    for (; i + lanes <= n; i += lanes) a = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), a);
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
    for (; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

void add_scaled(double factor, const double* x, double* y, std::int64_t n) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V a = hn::Set(d, factor);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::MulAdd(a, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
    for (; i < n; ++i) y[i] += factor * x[i];
}

bool cholesky(double* matrix, std::int64_t n, std::int64_t stride, double floor) {
    for (std::int64_t i = 0; i < n; ++i) {
        double* row = matrix + i * stride;
        const double diagonal = row[i];
        for (std::int64_t j = 0; j < i; ++j) {
            const double* other = matrix + j * stride;
            row[j] = (row[j] - dot(row, other, j)) / other[j];
        }
        const double pivot = diagonal - dot(row, row, i);
        if (!(pivot > floor * diagonal)) return false;
        row[i] = std::sqrt(pivot);
    }
    return true;
}

void cholesky_solve(const double* factor, std::int64_t n, std::int64_t stride, double* x) {
    for (std::int64_t i = 0; i < n; ++i) x[i] = (x[i] - dot(factor + i * stride, x, i)) / factor[i * stride + i];
    for (std::int64_t i = n; i-- > 0;) {
        x[i] /= factor[i * stride + i];
        add_scaled(-x[i], factor + i * stride, x, i);
    }
}

const Kernels* table() {
    static constexpr Kernels all{&dot, &add_scaled, &cholesky, &cholesky_solve};
    return &all;
}

}  // namespace rigwright::inverse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::inverse {

HWY_EXPORT(table);

const Kernels& kernels() {
    static const Kernels& chosen = []() -> const Kernels& {
        instruction_set();
        return *HWY_DYNAMIC_DISPATCH(table)();
    }();
    return chosen;
}

}  // namespace rigwright::inverse
#endif
