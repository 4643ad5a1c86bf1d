#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rigcast::linalg {

/// A pivoted Cholesky factorization K ~ C C^T of a symmetric positive semidefinite matrix (N, N), whose columns are
/// computed as they are needed (Harbrecht, Peters & Schneider 2012). Each step takes the row with the largest remaining
/// diagonal entry as pivot, so that the rank R is small for matrices whose eigenvalues fall fast, as those of smooth
/// kernels in few dimensions do. Guarantee: K - C C^T is positive semidefinite up to rounding, and no entry of its
/// diagonal is above the tolerance. Cost: O(N R^2), and R columns of K.
class PivotedCholesky {
public:
    /// Writes column `pivot` of K (N).
    using Column = std::function<void(std::int64_t pivot, double* out)>;

    /// Stops when no entry of the remaining diagonal exceeds `tolerance`, positive, in the unit of K. `diagonal` is
    /// K's.
    PivotedCholesky(std::vector<double> diagonal, const Column& column, double tolerance);

    std::int64_t size() const { return size_; }
    std::int64_t rank() const { return static_cast<std::int64_t>(pivots_.size()); }
    /// Rows of the pivots, in the order of the steps.
    std::span<const std::int64_t> pivots() const { return pivots_; }
    /// C^T, (R, N): the columns of C, one after another.
    std::span<const double> columns() const { return columns_; }
    /// Overwrites rhs (R, M) with L^-T rhs, where L (R, R) are the rows of C at the pivots, lower triangular.
    void solve_transposed(std::span<double> rhs) const;

private:
    void append(std::int64_t pivot, const Column& column);
    double entry(std::int64_t row, std::int64_t column) const {
        return columns_[static_cast<std::size_t>(column * size_ + pivots_[static_cast<std::size_t>(row)])];
    }

    std::int64_t size_;
    std::vector<double> left_;  // diagonal of K - C C^T
    std::vector<double> columns_;
    std::vector<std::int64_t> pivots_;
};

}  // namespace rigcast::linalg
