#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/sparse/sparse_matrix.h"

namespace rigcast::linalg {

class Supernodes;

/// Sparse Cholesky factorization of a symmetric positive definite n x n matrix in double precision: factorize once,
/// solve for many right-hand sides.
///
/// Method: CHOLMOD (Chen et al. 2008), its simplicial code, factorizes if the build found it, otherwise Eigen's
/// SimplicialLLT; the environment variable RIGCAST_SPARSE_CHOLESKY ("cholmod", "eigen") decides otherwise. The
/// substitution is our own (Supernodes).
/// Immutable; `solve` may run in several threads at once.
class SparseCholesky {
public:
    /// Factorizes the matrix with these (row, column, value) triplets: both triangles, in any order. Triplets of one
    /// entry are summed. Throws ArgumentError if sizes differ, an index is outside [0, n), a value is not finite or the
    /// matrix is not symmetric; NumericalError if it is not positive definite.
    SparseCholesky(std::int64_t n, View<const std::int32_t, 1> rows, View<const std::int32_t, 1> columns,
                   View<const double, 1> values);
    ~SparseCholesky();
    SparseCholesky(const SparseCholesky&) = delete;
    SparseCholesky& operator=(const SparseCholesky&) = delete;

    std::int64_t size() const { return size_; }
    /// Bytes of the factorization, which each solve reads twice.
    std::int64_t num_bytes() const;

    /// Writes A^-1 rhs for m right-hand sides, (n, m) both; rhs and solution may be the same memory.
    /// Guarantee: the bytes of a solution depend neither on the number of threads nor on the other right-hand sides.
    /// Cost: 24 right-hand sides take little more time than 4.
    /// Throws ArgumentError if shapes differ or a value is not finite.
    void solve(View<const double, 2> rhs, View<double, 2> solution, int threads) const;

    /// Writes the diagonal of A^-1 (n), exactly. Cost: about that of a factorization (Takahashi, Fagan and Chen 1973).
    /// Throws ArgumentError if the shape differs.
    void inverse_diagonal(View<double, 1> out) const;

    /// Name and version of the library that factorizes: "CHOLMOD 3.0.14".
    static const char* backend();

private:
    std::int64_t size_;
    std::vector<std::int32_t> order_;  // (n) row i of L is row order_[i] of the matrix
    std::unique_ptr<const Supernodes> lower_;
};

}  // namespace rigcast::linalg
