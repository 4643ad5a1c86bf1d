#pragma once
#include <cstdint>
#include <vector>

namespace rigcast::linalg {

/// Cholesky factorization L L^T of a symmetric positive definite band matrix, for many right-hand sides.
///
/// Guarantee: plain double precision arithmetic in one order, so that the same bytes come from every instruction set.
/// Cost: n b^2 multiplications to factorize, 2 n b for each right-hand side, with n rows and the bandwidth b.
class BandFactorization {
public:
    /// A matrix of zeros: n rows, entries (i, j) with |i - j| <= bandwidth.
    BandFactorization(std::int64_t rows, std::int64_t bandwidth)
        : rows_(rows), bandwidth_(bandwidth), values_(rows * (bandwidth + 1), 0.0) {}

    /// The entry (i, j) of the lower triangle, i - bandwidth <= j <= i: of the matrix before `factorize`, of L after
    /// it.
    double& lower(std::int64_t i, std::int64_t j) { return values_[i * (bandwidth_ + 1) + bandwidth_ + j - i]; }
    double lower(std::int64_t i, std::int64_t j) const { return values_[i * (bandwidth_ + 1) + bandwidth_ + j - i]; }
    std::int64_t rows() const { return rows_; }

    /// Replaces the matrix by L. Returns false if the matrix is not positive definite; it is then undefined.
    bool factorize();
    /// x (rows, columns), row-major <- (L L^T)^-1 x.
    void solve(double* x, std::int64_t columns) const;

private:
    std::int64_t rows_;
    std::int64_t bandwidth_;
    std::vector<double> values_;  // (n, b + 1), row i from column i - b on
};

}  // namespace rigcast::linalg
