#pragma once
#include <cstdint>
#include <vector>

namespace rigwright::inverse {

/// Cholesky factorisation of a symmetric positive definite matrix whose row i has entries from column first[i] on, kept
/// inside that envelope (Jennings 1966). Only the lower triangle is stored.
class EnvelopeCholesky {
public:
    /// Takes the envelope: first[i] <= i. Entries become 0.
    void reset(const std::vector<std::int64_t>& first);
    /// Entries first[i] ... i of row i.
    double* row(std::int64_t i) { return values_.data() + begin_[i]; }
    std::int64_t first(std::int64_t i) const { return first_[i]; }
    /// Factors in place. False if the matrix is not positive definite.
    bool factor();
    /// x <- (L L^T)^-1 x
    void solve(double* x) const;

private:
    std::vector<std::int64_t> first_, begin_;
    std::vector<double> values_;
};

}  // namespace rigwright::inverse
