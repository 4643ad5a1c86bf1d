#pragma once
#include <cstdint>
#include <memory>

#include "core/view.h"

namespace rigwright::linalg {

class Factor;

/// Sparse Cholesky factorisation of a symmetric positive definite n x n matrix, in double precision: factor
/// once, solve many right-hand sides. Immutable; solve may be called from several threads at once. CHOLMOD
/// (Chen et al. 2008) where it was found at configuration, Eigen's SimplicialLDLT otherwise.
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

    /// Writes A^-1 rhs, both (n, m); they may be the same memory. The same bytes for any number of threads.
    void solve(View<const double, 2> rhs, View<double, 2> solution, int threads) const;

    /// The same in place for right-hand sides that each lie together: (m, n).
    void solve_each(View<double, 2> columns, int threads) const;

    /// Name and version of the library that factors: "CHOLMOD 3.0.14".
    static const char* backend();

private:
    std::int64_t size_;
    std::unique_ptr<const Factor> factor_;
};

}  // namespace rigwright::linalg
