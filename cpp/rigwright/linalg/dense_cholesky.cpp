#include "rigwright/linalg/dense_cholesky.h"

#include <algorithm>
#include <cmath>

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/linalg/dense_cholesky.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rigwright/linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigwright::linalg::HWY_NAMESPACE {

/// The vector that entry i lies in begins here; vectors from here on end inside a padded row.
constexpr std::int64_t vector_begin(std::int64_t i) {
    return i / 8 * 8;
}

constexpr int panel = 4;  // rows of a factor that are subtracted from those below in one go: no sums across lanes

/// Subtracts a panel from `Rows` rows from i on, whose diagonals lie in one vector.
template <int Rows>
HWY_INLINE void subtract(const double* const* rows, std::int64_t i, std::int64_t end, double* matrix,
                         std::int64_t stride) {
    V factor[Rows][panel];
    for (int r = 0; r < Rows; ++r) {
        for (int p = 0; p < panel; ++p) factor[r][p] = hn::Set(d, rows[p][i + r]);
    }
    for (std::int64_t j = vector_begin(i); j < end; j += static_cast<std::int64_t>(hn::Lanes(d))) {
        V own[panel];
        for (int p = 0; p < panel; ++p) own[p] = hn::LoadU(d, rows[p] + j);
        for (int r = 0; r < Rows; ++r) {
            double* row = matrix + (i + r) * stride + j;
            V sum = hn::LoadU(d, row);
            for (int p = 0; p < panel; ++p) sum = hn::NegMulAdd(factor[r][p], own[p], sum);
            hn::StoreU(sum, d, row);
        }
    }
}

bool factor(double* matrix, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal) {
    constexpr int side_by_side = HWY_MAX_BYTES >= 64 ? 4 : 2;  // rows below: as many as the registers hold factors of
    const std::int64_t end = vector_begin(n + 7);
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
        std::int64_t i = below;
        for (; i + side_by_side <= n; i += side_by_side) subtract<side_by_side>(rows, i, end, matrix, stride);
        for (; i < n; ++i) subtract<1>(rows, i, end, matrix, stride);
    }
    return true;
}

constexpr std::int64_t block = 8;  // unknowns solved for in scalars, then taken off the others in whole vectors

/// x <- U^-T x; x is zero from n on, in whole vectors.
void solve_forward(const double* factor, std::int64_t n, std::int64_t stride, const double* inverse_diagonal,
                   double* x) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t k = 0; k < n; k += block) {
        const std::int64_t count = std::min(block, n - k);
        double own[block] = {};
        std::copy_n(x + k, count, own);
        for (std::int64_t p = 0; p < count; ++p) {
            const double* row = factor + (k + p) * stride + k;
            own[p] *= inverse_diagonal[k + p];
            for (std::int64_t i = p + 1; i < block; ++i) own[i] -= row[i] * own[p];
        }
        std::copy_n(own, count, x + k);
        for (std::int64_t i = k + block; i < n; i += lanes) {
            V sum = hn::LoadU(d, x + i);
            for (std::int64_t p = 0; p < block; ++p) {
                sum = hn::NegMulAdd(hn::Set(d, own[p]), hn::LoadU(d, factor + (k + p) * stride + i), sum);
            }
            hn::StoreU(sum, d, x + i);
        }
    }
}

void solve(const double* factor, std::int64_t n, std::int64_t stride, const double* inverse_diagonal, double* x) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t i = n; i < padded_width(n); ++i) x[i] = 0.0;
    solve_forward(factor, n, stride, inverse_diagonal, x);
    for (std::int64_t k = vector_begin(n - 1); k >= 0; k -= block) {
        const std::int64_t count = std::min(block, n - k);
        double own[block];
        std::copy_n(x + k, count, own);
        if (k + block < n) {
            V sum[block];
            for (std::int64_t p = 0; p < block; ++p) sum[p] = hn::Zero(d);
            for (std::int64_t i = k + block; i < n; i += lanes) {
                const V known = hn::LoadU(d, x + i);
                for (std::int64_t p = 0; p < block; ++p) {
                    sum[p] = hn::MulAdd(hn::LoadU(d, factor + (k + p) * stride + i), known, sum[p]);
                }
            }
            for (std::int64_t p = 0; p < block; ++p) own[p] -= hn::GetLane(hn::SumOfLanes(d, sum[p]));
        }
        for (std::int64_t p = count; p-- > 0;) {
            own[p] *= inverse_diagonal[k + p];
            for (std::int64_t i = 0; i < p; ++i) own[i] -= factor[(k + i) * stride + k + p] * own[p];
        }
        std::copy_n(own, count, x + k);
    }
}

bool append(double* factor, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal, double* column,
            double diagonal) {
    for (std::int64_t i = n; i < padded_width(n); ++i) column[i] = 0.0;
    solve_forward(factor, n, stride, inverse_diagonal, column);
    const double pivot = diagonal - dot(column, column, n);
    if (!(pivot > floor * diagonal)) return false;
    double* own = factor + n * stride;
    for (std::int64_t i = 0; i < padded_width(n + 1); ++i) own[i] = 0.0;
    own[n] = std::sqrt(pivot);
    inverse_diagonal[n] = 1.0 / own[n];
    for (std::int64_t i = 0; i < n; ++i) {
        double* row = factor + i * stride;
        row[n] = column[i];
        for (std::int64_t j = n + 1; j < padded_width(n + 1); ++j) row[j] = 0.0;
    }
    return true;
}

/// Without its column the factor's rows from there on reach one place left of their diagonals, until each is turned
/// with the next one (Givens rotations).
void remove(double* factor, std::int64_t n, std::int64_t stride, double* inverse_diagonal, std::int64_t position) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t r = 0; r < n; ++r) {
        double* row = factor + r * stride;
        for (std::int64_t i = std::max(position, r - 1); i < n; ++i) row[i] = row[i + 1];
    }
    for (std::int64_t r = position; r + 1 < n; ++r) {
        double *here = factor + r * stride, *next = here + stride;
        const double root = std::sqrt(here[r] * here[r] + next[r] * next[r]);
        const double cosine = here[r] / root, sine = next[r] / root;
        inverse_diagonal[r] = 1.0 / root;
        const V c = hn::Set(d, cosine), s = hn::Set(d, sine);
        for (std::int64_t i = r; i < n; i += lanes) {
            const V a = hn::LoadU(d, here + i), b = hn::LoadU(d, next + i);
            hn::StoreU(hn::MulAdd(c, a, hn::Mul(s, b)), d, here + i);
            hn::StoreU(hn::NegMulAdd(s, a, hn::Mul(c, b)), d, next + i);
        }
    }
}

const DenseCholesky* dense_cholesky_table() {
    static constexpr DenseCholesky all{&factor, &solve, &append, &remove};
    return &all;
}

}  // namespace rigwright::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::linalg {

HWY_EXPORT(dense_cholesky_table);

RIGWRIGHT_KERNEL_TABLE(DenseCholesky, dense_cholesky, dense_cholesky_table)

}  // namespace rigwright::linalg
#endif
