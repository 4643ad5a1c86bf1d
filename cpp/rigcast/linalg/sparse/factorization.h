#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/linalg/sparse/sparse_matrix.h"

namespace rigcast::linalg {

/// The Cholesky factorization P A P^T = L L^T, P a permutation.
struct Factorization {
    std::vector<std::int32_t> order;  // row i of L is row order[i] of A
    SparseMatrix lower;               // L; in each column the diagonal entry comes first
};

/// Factorizes the matrix whose lower triangle, all diagonal entries included, is `lower`. The permutation keeps L
/// sparse. Throws NumericalError if the matrix is not positive definite.
///
/// The backend: exactly one of the factorize_*.cpp files is compiled (linalg/CMakeLists.txt).
Factorization factorize(const SparseMatrix& lower);

/// Name and version of the backend's library.
const char* backend();

}  // namespace rigcast::linalg
