#pragma once
#include <cstdint>

#include "rigcast/core/aligned.h"
#include "rigcast/core/view.h"

namespace rigcast::linalg {

/// The factorization K = U^T U of a dense symmetric positive definite matrix and its inverses, by blocks, for matrices
/// of hundreds of rows and several threads (for small ones: dense_cholesky.h). Double precision.
///
/// Rows of a matrix are stride() numbers apart, which is not a multiple of a large power of two, so that a column's
/// numbers lie in different sets of the cache. Memory is kept between matrices of one size.
/// Guarantee: the same bytes for any number of threads. Not thread-safe: use one per thread.
class PositiveDefinite {
public:
    /// A pivot below this share of its diagonal entry is rounding: the matrix counts as singular.
    static constexpr double smallest_pivot = 1e-14;

    explicit PositiveDefinite(std::int64_t size);

    std::int64_t size() const { return size_; }
    std::int64_t stride() const { return stride_; }
    /// Row i of the matrix. Write the upper triangle, then call `factorize`; the strict lower triangle is the caller's
    /// and is neither read nor written by blocks right of it, except inside diagonal blocks (see lower_row).
    double* row(std::int64_t i) { return values_.data() + i * stride_; }
    const double* row(std::int64_t i) const { return values_.data() + i * stride_; }

    /// Replaces the upper triangle by U. O(n^3 / 3). Returns false if a pivot is not positive.
    bool factorize(int threads);
    /// log |K| = 2 sum log U_ii.
    double log_determinant() const;
    /// Writes W = U^-T, lower triangular, into rows of `out` stride() apart, zeros above the diagonal. O(n^3 / 3).
    /// With it K^-1 = W^T W, and |W k|^2 = k^T K^-1 k is never negative.
    void inverse_root(double* out, int threads) const;
    /// Writes the lower triangle, and all of the diagonal blocks, of K^-1 = W^T W; rows are stride() apart in both.
    /// O(n^3 / 3). `out` must not overlap `root`.
    void inverse(const double* root, double* out, int threads) const;
    /// out (n, columns) = W y, or W^T y, for y and out with adjacent columns, rows `columns` apart.
    void multiply_root(const double* root, const double* y, std::int64_t columns, double* out, int threads) const;
    void multiply_root_transposed(const double* root, const double* y, std::int64_t columns, double* out,
                                  int threads) const;

private:
    static constexpr std::int64_t rows_per_block = 96;

    std::int64_t num_blocks() const { return (size_ + rows_per_block - 1) / rows_per_block; }
    std::int64_t begin(std::int64_t block) const { return block * rows_per_block; }
    std::int64_t rows(std::int64_t block) const {
        return block + 1 < num_blocks() ? rows_per_block : size_ - begin(block);
    }
    bool factorize_diagonal(std::int64_t block);
    void factorize_right(std::int64_t block, int threads);
    const double* diagonal_inverse(std::int64_t block) const {
        return inverses_.data() + block * rows_per_block * rows_per_block;
    }

    std::int64_t size_;
    std::int64_t stride_;
    LineVector<double> values_;
    LineVector<double> inverses_;  // (blocks, 96, 96): U_bb^-1, upper triangular, of the diagonal blocks
};

}  // namespace rigcast::linalg
