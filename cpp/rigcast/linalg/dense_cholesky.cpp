#include "rigcast/linalg/dense_cholesky.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/dispatch.h"
#include "rigcast/core/interruption.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/linalg/dense_cholesky.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rigcast/linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigcast::linalg::HWY_NAMESPACE {

/// The first entry of the vector that contains entry i. Vectors from there on end inside a padded row.
constexpr std::int64_t vector_begin(std::int64_t i) {
    return i / 8 * 8;
}

/// Columns that are eliminated between two checks for Ctrl-C: of 4,000 unknowns these take a twentieth of a second.
constexpr std::int64_t unknowns_between_checks = 128;

/// Rows of U that are subtracted together from the rows below. Each row below is then loaded and stored once per four.
constexpr int rows_per_update = 4;

/// Subtracts `rows_per_update` rows of U from `Rows` rows of the matrix, i and those after it, whose diagonal entries
/// lie in one vector.
template <int Rows>
HWY_INLINE void subtract(const double* const* rows, std::int64_t i, std::int64_t end, double* matrix,
                         std::int64_t stride) {
    V coefficient[Rows][rows_per_update];
    for (int r = 0; r < Rows; ++r) {
        for (int p = 0; p < rows_per_update; ++p) coefficient[r][p] = hn::Set(d, rows[p][i + r]);
    }
    for (std::int64_t j = vector_begin(i); j < end; j += static_cast<std::int64_t>(hn::Lanes(d))) {
        V upper[rows_per_update];
        for (int p = 0; p < rows_per_update; ++p) upper[p] = hn::LoadU(d, rows[p] + j);
        for (int r = 0; r < Rows; ++r) {
            double* row = matrix + (i + r) * stride + j;
            V sum = hn::LoadU(d, row);
            for (int p = 0; p < rows_per_update; ++p) sum = hn::NegMulAdd(coefficient[r][p], upper[p], sum);
            hn::StoreU(sum, d, row);
        }
    }
}

bool factorize(double* matrix, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal) {
    constexpr int rows_at_once = HWY_MAX_BYTES >= 64 ? 4 : 2;  // rows below whose coefficients fit the registers
    const std::int64_t end = vector_begin(n + 7);
    for (std::int64_t i = 0; i < n; ++i) inverse_diagonal[i] = matrix[i * stride + i];
    for (std::int64_t k = 0; k < n; k += rows_per_update) {
        const double* rows[rows_per_update] = {};
        const std::int64_t below = std::min(k + rows_per_update, n);
        if (n > unknowns_between_checks && k % unknowns_between_checks == 0) check_interruption();
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
        for (; i + rows_at_once <= n; i += rows_at_once) subtract<rows_at_once>(rows, i, end, matrix, stride);
        for (; i < n; ++i) subtract<1>(rows, i, end, matrix, stride);
    }
    return true;
}

/// Unknowns that are solved for in scalars before they are subtracted from the others in whole vectors.
constexpr std::int64_t unknowns_per_step = 8;

/// x <- U^-T x. The padding of x must be 0.
void solve_forward(const double* upper, std::int64_t n, std::int64_t stride, const double* inverse_diagonal,
                   double* x) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t k = 0; k < n; k += unknowns_per_step) {
        const std::int64_t count = std::min(unknowns_per_step, n - k);
        double solved[unknowns_per_step] = {};
        std::copy_n(x + k, count, solved);
        for (std::int64_t p = 0; p < count; ++p) {
            const double* row = upper + (k + p) * stride + k;
            solved[p] *= inverse_diagonal[k + p];
            for (std::int64_t i = p + 1; i < unknowns_per_step; ++i) solved[i] -= row[i] * solved[p];
        }
        std::copy_n(solved, count, x + k);
        for (std::int64_t i = k + unknowns_per_step; i < n; i += lanes) {
            V sum = hn::LoadU(d, x + i);
            for (std::int64_t p = 0; p < unknowns_per_step; ++p) {
                sum = hn::NegMulAdd(hn::Set(d, solved[p]), hn::LoadU(d, upper + (k + p) * stride + i), sum);
            }
            hn::StoreU(sum, d, x + i);
        }
    }
}

void solve(const double* upper, std::int64_t n, std::int64_t stride, const double* inverse_diagonal, double* x) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t i = n; i < padded_width(n); ++i) x[i] = 0.0;
    solve_forward(upper, n, stride, inverse_diagonal, x);
    for (std::int64_t k = vector_begin(n - 1); k >= 0; k -= unknowns_per_step) {
        const std::int64_t count = std::min(unknowns_per_step, n - k);
        double solved[unknowns_per_step];
        std::copy_n(x + k, count, solved);
        if (k + unknowns_per_step < n) {
            V sum[unknowns_per_step];
            for (std::int64_t p = 0; p < unknowns_per_step; ++p) sum[p] = hn::Zero(d);
            for (std::int64_t i = k + unknowns_per_step; i < n; i += lanes) {
                const V known = hn::LoadU(d, x + i);
                for (std::int64_t p = 0; p < unknowns_per_step; ++p) {
                    sum[p] = hn::MulAdd(hn::LoadU(d, upper + (k + p) * stride + i), known, sum[p]);
                }
            }
            for (std::int64_t p = 0; p < unknowns_per_step; ++p) solved[p] -= hn::GetLane(hn::SumOfLanes(d, sum[p]));
        }
        for (std::int64_t p = count; p-- > 0;) {
            solved[p] *= inverse_diagonal[k + p];
            for (std::int64_t i = 0; i < p; ++i) solved[i] -= upper[(k + i) * stride + k + p] * solved[p];
        }
        std::copy_n(solved, count, x + k);
    }
}

bool append(double* upper, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal, double* column,
            double diagonal) {
    for (std::int64_t i = n; i < padded_width(n); ++i) column[i] = 0.0;
    solve_forward(upper, n, stride, inverse_diagonal, column);
    const double pivot = diagonal - dot(column, column, n);
    if (!(pivot > floor * diagonal)) return false;
    double* last_row = upper + n * stride;
    for (std::int64_t i = 0; i < padded_width(n + 1); ++i) last_row[i] = 0.0;
    last_row[n] = std::sqrt(pivot);
    inverse_diagonal[n] = 1.0 / last_row[n];
    for (std::int64_t i = 0; i < n; ++i) {
        double* row = upper + i * stride;
        row[n] = column[i];
        for (std::int64_t j = n + 1; j < padded_width(n + 1); ++j) row[j] = 0.0;
    }
    return true;
}

/// Without its column, each row of U from `position` on starts one place left of the diagonal. Givens rotations of
/// successive rows remove these entries.
void remove(double* upper, std::int64_t n, std::int64_t stride, double* inverse_diagonal, std::int64_t position) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t r = 0; r < n; ++r) {
        double* row = upper + r * stride;
        for (std::int64_t i = std::max(position, r - 1); i < n; ++i) row[i] = row[i + 1];
    }
    for (std::int64_t r = position; r + 1 < n; ++r) {
        double* row = upper + r * stride;
        double* next = row + stride;
        const double root = std::sqrt(row[r] * row[r] + next[r] * next[r]);
        const double cosine = row[r] / root;
        const double sine = next[r] / root;
        inverse_diagonal[r] = 1.0 / root;
        const V c = hn::Set(d, cosine);
        const V s = hn::Set(d, sine);
        for (std::int64_t i = r; i < n; i += lanes) {
            const V a = hn::LoadU(d, row + i);
            const V b = hn::LoadU(d, next + i);
            hn::StoreU(hn::MulAdd(c, a, hn::Mul(s, b)), d, row + i);
            hn::StoreU(hn::NegMulAdd(s, a, hn::Mul(c, b)), d, next + i);
        }
    }
}

const DenseCholesky* dense_cholesky_table() {
    static constexpr DenseCholesky all{&factorize, &solve, &append, &remove};
    return &all;
}

}  // namespace rigcast::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::linalg {

RIGCAST_EXPORT(dense_cholesky_table);

RIGCAST_KERNEL_TABLE(DenseCholesky, dense_cholesky, dense_cholesky_table)

}  // namespace rigcast::linalg
#endif
