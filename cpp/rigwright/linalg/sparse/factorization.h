#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/linalg/sparse/sparse_matrix.h"

namespace rigwright::linalg {

/// L of P A P^T = L L^T, by columns: the diagonal first in each, rows ascending. Row i of L is row order[i] of A.
struct Factorization {
    std::vector<std::int32_t> order;
    SparseMatrix lower;
};

/// Factors the matrix whose lower triangle is given (every diagonal entry present), in an order that keeps L sparse.
/// Throws NumericalError if it is not positive definite. What a backend provides: exactly one of the factor_*.cpp
/// files is compiled.
Factorization factorize(const SparseMatrix& lower);

/// Name and version of the library that factorizes.
const char* backend();

}  // namespace rigwright::linalg
