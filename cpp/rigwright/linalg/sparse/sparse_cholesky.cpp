#include "rigwright/linalg/sparse/sparse_cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "rigwright/core/check.h"
#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"
#include "rigwright/linalg/sparse/factorization.h"
#include "rigwright/linalg/sparse/supernodes.h"

namespace rigwright::linalg {
namespace {

constexpr const char* name = "SparseCholesky";
constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max() / 2;

void check_indices(const char* argument, View<const std::int32_t, 1> indices, std::int64_t n) {
    for (const std::int32_t i : indices) {
        if (i < 0 || i >= n) {
            throw bad_argument(name, argument, std::to_string(i) + " somewhere", "in [0, " + std::to_string(n) + ")");
        }
    }
}

/// The transposed matrix holds the same entries, to the rounding of sums taken in another order.
void check_symmetric(const SparseMatrix& matrix) {
    const SparseMatrix other = transposed(matrix);
    bool same = matrix.row == other.row && matrix.start == other.start;
    double scale = 0.0;
    for (const double value : matrix.value) scale = std::max(scale, std::abs(value));
    for (std::size_t e = 0; same && e < matrix.value.size(); ++e) {
        same = std::abs(matrix.value[e] - other.value[e]) <= 1e-12 * scale;
    }
    if (!same) throw bad_argument(name, "the matrix", "not symmetric", "symmetric, with both triangles given");
}

/// The lower triangle. Throws where a diagonal entry is missing or not positive.
SparseMatrix lower_triangle(const SparseMatrix& full) {
    SparseMatrix lower;
    lower.size = full.size;
    lower.start.push_back(0);
    lower.row.reserve(full.row.size());
    lower.value.reserve(full.row.size());
    for (std::int32_t column = 0; column < full.size; ++column) {
        for (std::int32_t e = full.start[column]; e < full.start[column + 1]; ++e) {
            if (full.row[e] < column) continue;
            lower.row.push_back(full.row[e]);
            lower.value.push_back(full.value[e]);
        }
        const std::int32_t begin = lower.start.back(), end = static_cast<std::int32_t>(lower.row.size());
        if (begin == end || lower.row[begin] != column || !(lower.value[begin] > 0.0)) {
            throw NumericalError("SparseCholesky: the matrix is not positive definite: its diagonal entry " +
                                 std::to_string(column) + " is not positive");
        }
        lower.start.push_back(end);
    }
    return lower;
}

/// Throws where a pivot, the squared diagonal of L, lost all its digits against the diagonal entry that it came from.
void check_pivots(const Factorization& factor, const SparseMatrix& lower) {
    // The rounding of a pivot grows with the updates that it took: about n epsilon for a mesh's Laplacian.
    const double digits = std::max<double>(64.0, lower.size) * std::numeric_limits<double>::epsilon();
    for (std::int32_t i = 0; i < lower.size; ++i) {
        const double root = factor.lower.value[factor.lower.start[i]];
        if (!(root * root > digits * lower.value[lower.start[factor.order[i]]])) {
            throw NumericalError(
                "SparseCholesky: the matrix is not positive definite, or singular to working precision, at row " +
                std::to_string(factor.order[i]));
        }
    }
}

/// The width that solves `left` columns next: full, or the narrowest that holds all that are left.
int width_for(std::int64_t left) {
    int width = Supernodes::widths[0];
    for (const int other : Supernodes::widths) width = other >= left ? other : width;
    return width;
}

}  // namespace

SparseCholesky::SparseCholesky(std::int64_t n, View<const std::int32_t, 1> rows, View<const std::int32_t, 1> columns,
                               View<const double, 1> values)
    : size_(n) {
    if (n < 1 || n > largest) {
        throw bad_argument(name, "n", std::to_string(n), "in [1, " + std::to_string(largest) + "]");
    }
    if (values.extent(0) > largest) {
        throw bad_argument(name, "values", std::to_string(values.extent(0)) + " long",
                           "at most " + std::to_string(largest) + " long");
    }
    check_shape<const std::int32_t, 1>(name, "rows", rows, {values.extent(0)});
    check_shape<const std::int32_t, 1>(name, "cols", columns, {values.extent(0)});
    check_indices("rows", rows, n);
    check_indices("cols", columns, n);
    check_finite(name, "values", values);
    const std::int32_t size = static_cast<std::int32_t>(n);
    const SparseMatrix full = compress(size, rows, columns, values);
    check_symmetric(full);
    const SparseMatrix lower = lower_triangle(full);
    Factorization factor = factorize(lower);
    check_pivots(factor, lower);
    order_ = std::move(factor.order);
    panels_ = std::make_unique<const Supernodes>(factor.lower);
}

SparseCholesky::~SparseCholesky() = default;

void SparseCholesky::solve(View<const double, 2> rhs, View<double, 2> solution, int threads) const {
    const std::int64_t count = rhs.extent(1);
    check_shape<const double, 2>("SparseCholesky.solve", "rhs", rhs, {size_, -1});
    check_shape<double, 2>("SparseCholesky.solve", "solution", solution, {size_, count});
    check_finite("SparseCholesky.solve", "rhs", rhs);
    parallel_for(count, Supernodes::widths[0], threads, [&](std::int64_t begin, std::int64_t end) {
        const int width = width_for(end - begin);
        const Scratch::Lease<double> memory(static_cast<std::size_t>(size_ * width));
        double* x = memory.data();
        for (std::int64_t i = 0; i < size_; ++i) {
            const double* from = rhs.row(order_[i]) + begin;
            std::fill(std::copy_n(from, end - begin, x + i * width), x + (i + 1) * width, 0.0);
        }
        panels_->substitute(x, width);
        for (std::int64_t i = 0; i < size_; ++i) {
            std::copy_n(x + i * width, end - begin, solution.row(order_[i]) + begin);
        }
    });
}

const char* SparseCholesky::backend() {
    return linalg::backend();
}

}  // namespace rigwright::linalg
