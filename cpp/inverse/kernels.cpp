#include "inverse/kernels.h"

#include <algorithm>
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

/// y += sum of four rows times their factors, from `begin` to `end`.
void add_four(const double* factors, const double* const* rows, double* y, std::int64_t begin, std::int64_t end) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V a = hn::Set(d, factors[0]), b = hn::Set(d, factors[1]);
    const V c = hn::Set(d, factors[2]), e = hn::Set(d, factors[3]);
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
        V sum = hn::MulAdd(a, hn::LoadU(d, rows[0] + i), hn::LoadU(d, y + i));
        sum = hn::MulAdd(b, hn::LoadU(d, rows[1] + i), sum);
        sum = hn::MulAdd(c, hn::LoadU(d, rows[2] + i), sum);
        hn::StoreU(hn::MulAdd(e, hn::LoadU(d, rows[3] + i), sum), d, y + i);
    }
    for (; i < end; ++i) {
        y[i] += factors[0] * rows[0][i] + factors[1] * rows[1][i] + factors[2] * rows[2][i] + factors[3] * rows[3][i];
    }
}

void add_rows(const double* factors, const double* const* rows, std::int64_t count, double* y, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) add_four(factors + i, rows + i, y, 0, n);
    for (; i < count; ++i) add_scaled(factors[i], rows[i], y, n);
}

/// The vector that entry i lies in begins here; vectors from here on end inside a padded row.
constexpr std::int64_t vector_begin(std::int64_t i) {
    return i / 8 * 8;
}

bool cholesky(double* matrix, std::int64_t n, double floor, double* inverse_diagonal) {
    constexpr std::int64_t panel = 4;  // rows that are subtracted from those below in one go: no sums across lanes
    const std::int64_t stride = padded_width(n), end = vector_begin(n + 7);
    for (std::int64_t i = 0; i < n; ++i) inverse_diagonal[i] = matrix[i * stride + i];
    for (std::int64_t k = 0; k < n; k += panel) {
        const double* rows[panel] = {};
        const std::int64_t below = std::min(k + panel, n);
        for (std::int64_t p = k; p < below; ++p) {
            double* row = matrix + p * stride;
            if (!(row[p] > floor * inverse_diagonal[p])) return false;
            const double root = std::sqrt(row[p]);
            inverse_diagonal[p] = 1.0 / root;
            for (std::int64_t j = p + 1; j < end; ++j) row[j] *= inverse_diagonal[p];
            row[p] = root;
            rows[p - k] = row;
            for (std::int64_t i = p + 1; i < below; ++i) {
                const std::int64_t from = vector_begin(i);
                add_scaled(-row[i], row + from, matrix + i * stride + from, end - from);
            }
        }
        for (std::int64_t i = below; i < n; ++i) {
            const double factors[panel] = {-rows[0][i], -rows[1][i], -rows[2][i], -rows[3][i]};
            add_four(factors, rows, matrix + i * stride, vector_begin(i), end);
        }
    }
    return true;
}

void cholesky_solve(const double* factor, std::int64_t n, const double* inverse_diagonal, double* x) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d)), stride = padded_width(n);
    for (std::int64_t i = n; i < stride; ++i) x[i] = 0.0;
    for (std::int64_t k = 0; k < n; ++k) {
        const double* row = factor + k * stride;
        x[k] *= inverse_diagonal[k];
        const V a = hn::Set(d, x[k]);
        for (std::int64_t i = k + 1; i < n; i += lanes) {
            hn::StoreU(hn::NegMulAdd(a, hn::LoadU(d, row + i), hn::LoadU(d, x + i)), d, x + i);
        }
    }
    for (std::int64_t k = n; k-- > 0;) {
        const double* row = factor + k * stride;
        V sum = hn::Zero(d);
        for (std::int64_t i = k + 1; i < n; i += lanes) {
            sum = hn::MulAdd(hn::LoadU(d, row + i), hn::LoadU(d, x + i), sum);
        }
        x[k] = (x[k] - hn::GetLane(hn::SumOfLanes(d, sum))) * inverse_diagonal[k];
    }
}

const Kernels* table() {
    static constexpr Kernels all{&dot, &add_scaled, &add_rows, &cholesky, &cholesky_solve};
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
