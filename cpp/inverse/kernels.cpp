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
    // rows are subtracted from the rows below them: no sums across lanes
    for (std::int64_t i = 1; i < n; ++i) matrix[i * stride] = matrix[i * stride + i];
    for (std::int64_t k = 0; k < n; ++k) {
        double* row = matrix + k * stride;
        if (!(row[k] > floor * (k == 0 ? row[k] : row[0]))) return false;
        row[k] = std::sqrt(row[k]);
        const double inverse = 1.0 / row[k];
        for (std::int64_t j = k + 1; j < n; ++j) row[j] *= inverse;
        for (std::int64_t i = k + 1; i < n; ++i) add_scaled(-row[i], row + i, matrix + i * stride + i, n - i);
    }
    return true;
}

void cholesky_solve(const double* factor, std::int64_t n, std::int64_t stride, double* x) {
    for (std::int64_t k = 0; k < n; ++k) {
        const double* row = factor + k * stride;
        x[k] /= row[k];
        add_scaled(-x[k], row + k + 1, x + k + 1, n - k - 1);
    }
    for (std::int64_t k = n; k-- > 0;) {
        const double* row = factor + k * stride;
        x[k] = (x[k] - dot(row + k + 1, x + k + 1, n - k - 1)) / row[k];
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
