#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::linalg {

class Supernodes;

/// Sparse Cholesky factorization of a symmetric positive definite n x n matrix, in double precision: factor
/// once, solve many right-hand sides. Immutable; solve may be called from several threads at once. CHOLMOD
/// (Chen et al. 2008), its simplicial code, factors where it was found at configuration, Eigen's SimplicialLLT
/// otherwise; the substitution is our own (Supernodes).
class SparseCholesky {
public:
    /// From the entries (row, column, value) of the whole matrix, both triangles, in any order; entries of one
    /// place are summed. Throws ArgumentError on sizes that differ, indices outside [0, n), values that are not
    /// finite, or a matrix that is not symmetric; NumericalError if it is not positive definite.
    SparseCholesky(std::int64_t n, View<const std::int32_t, 1> rows, View<const std::int32_t, 1> columns,
                   View<const double, 1> values);
    ~SparseCholesky();
    SparseCholesky(const SparseCholesky&) = delete;
    SparseCholesky& operator=(const SparseCholesky&) = delete;

    std::int64_t size() const { return size_; }

    /// Writes A^-1 rhs, both (n, m); they may be the same memory. A column's bytes depend neither on the number of
    /// threads nor on the columns beside it. Twenty-four columns together cost little more than four.
    void solve(View<const double, 2> rhs, View<double, 2> solution, int threads) const;

    /// Name and version of the library that factors: "CHOLMOD 3.0.14".
    static const char* backend();

private:
    std::int64_t size_;
    std::vector<std::int32_t> order_;  // of the factor's rows
    std::unique_ptr<const Supernodes> panels_;
};

}  // namespace rigwright::linalg
