#include "rigcast/linalg/sparse/sparse_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/sparse/factorization.h"
#include "rigcast/linalg/sparse/supernodes.h"

namespace rigcast::linalg {
namespace {

constexpr const char* name = "SparseCholesky";
constexpr std::int64_t max_entries = std::numeric_limits<std::int32_t>::max() / 2;  // indices are 32 bits

void check_indices(const char* argument, View<const std::int32_t, 1> indices, std::int64_t n) {
    for (const std::int32_t i : indices) {
        if (i < 0 || i >= n) {
            throw bad_argument(name, argument, std::to_string(i) + " somewhere", "in [0, " + std::to_string(n) + ")");
        }
    }
}

/// Compares the matrix with its transpose, to the rounding of sums: triplets of one entry may be summed in another
/// order on the other side.
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

/// The lower triangle. Throws NumericalError if a diagonal entry is missing or not positive.
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
        const std::int32_t begin = lower.start.back();
        const std::int32_t end = static_cast<std::int32_t>(lower.row.size());
        if (begin == end || lower.row[begin] != column || !(lower.value[begin] > 0.0)) {
            throw NumericalError("SparseCholesky: the matrix is not positive definite: its diagonal entry " +
                                 std::to_string(column) + " is not positive");
        }
        lower.start.push_back(end);
    }
    return lower;
}

/// Throws NumericalError if a pivot, the square of a diagonal entry of L, is as small as its rounding errors.
void check_pivots(const Factorization& factorization, const SparseMatrix& lower) {
    // The rounding errors of a pivot grow with its number of updates: about n epsilon for a mesh's Laplacian, relative
    // to the diagonal entry of the matrix. 64 leaves room in small matrices.
    const double rounding = std::max<double>(64.0, lower.size) * std::numeric_limits<double>::epsilon();
    for (std::int32_t i = 0; i < lower.size; ++i) {
        const double root = factorization.lower.value[factorization.lower.start[i]];
        if (!(root * root > rounding * lower.value[lower.start[factorization.order[i]]])) {
            throw NumericalError(
                "SparseCholesky: the matrix is not positive definite, or singular to working precision, at row " +
                std::to_string(factorization.order[i]));
        }
    }
}

/// The smallest of Supernodes::counts that is at least `count`, or the largest of all.
int padded_count(std::int64_t count) {
    int padded = Supernodes::counts[0];
    for (const int other : Supernodes::counts) padded = other >= count ? other : padded;
    return padded;
}

const Backend& choose_backend() {
    const char* variable = std::getenv("RIGCAST_SPARSE_CHOLESKY");
    const std::string wanted = variable == nullptr ? "" : variable;
    const Backend* cholmod = cholmod_backend();
    if (wanted == "eigen" || (wanted.empty() && cholmod == nullptr)) return eigen_backend();
    if (cholmod != nullptr && (wanted.empty() || wanted == "cholmod")) return *cholmod;
    throw bad_argument(name, "RIGCAST_SPARSE_CHOLESKY", "'" + wanted + "'",
                       cholmod == nullptr ? "eigen: this build has no CHOLMOD" : "one of: cholmod, eigen");
}

}  // namespace

const Backend& backend() {
    static const Backend& chosen = choose_backend();
    return chosen;
}

SparseCholesky::SparseCholesky(std::int64_t n, View<const std::int32_t, 1> rows, View<const std::int32_t, 1> columns,
                               View<const double, 1> values)
    : size_(n) {
    if (n < 1 || n > max_entries) {
        throw bad_argument(name, "n", std::to_string(n), "in [1, " + std::to_string(max_entries) + "]");
    }
    if (values.extent(0) > max_entries) {
        throw bad_argument(name, "values", std::to_string(values.extent(0)) + " long",
                           "at most " + std::to_string(max_entries) + " long");
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
    Factorization factorization = linalg::backend().factorize(lower);
    check_pivots(factorization, lower);
    order_ = std::move(factorization.order);
    lower_ = std::make_unique<const Supernodes>(factorization.lower);
}

SparseCholesky::~SparseCholesky() = default;

std::int64_t SparseCholesky::num_bytes() const {
    return lower_->num_bytes();
}

void SparseCholesky::solve(View<const double, 2> rhs, View<double, 2> solution, int threads) const {
    const std::int64_t count = rhs.extent(1);
    check_shape<const double, 2>("SparseCholesky.solve", "rhs", rhs, {size_, -1});
    check_shape<double, 2>("SparseCholesky.solve", "solution", solution, {size_, count});
    check_finite("SparseCholesky.solve", "rhs", rhs);
    parallel_for(count, Supernodes::counts[0], threads, [&](std::int64_t begin, std::int64_t end) {
        const int padded = padded_count(end - begin);
        const Scratch::Lease<double> memory(static_cast<std::size_t>(size_ * padded));
        double* x = memory.data();
        for (std::int64_t i = 0; i < size_; ++i) {
            const double* from = rhs.row(order_[i]) + begin;
            std::fill(std::copy_n(from, end - begin, x + i * padded), x + (i + 1) * padded, 0.0);
        }
        lower_->substitute(x, padded);
        for (std::int64_t i = 0; i < size_; ++i) {
            std::copy_n(x + i * padded, end - begin, solution.row(order_[i]) + begin);
        }
    });
}

const char* SparseCholesky::backend() {
    return linalg::backend().name.c_str();
}

}  // namespace rigcast::linalg
