#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/sparse_matrix.h"

namespace rigwright::linalg {

/// What a backend of SparseCholesky provides. Exactly one of the factor_*.cpp files is compiled.
class Factor {
public:
    virtual ~Factor() = default;
    /// Factors the matrix whose lower triangle is given (every diagonal entry present). Throws NumericalError
    /// if it is not positive definite.
    static std::unique_ptr<Factor> make(const SparseMatrix& lower);
    /// Name and version of the backend.
    static const char* backend();

    /// Solves for `count` columns that stand one after another. Safe to call from several threads at once.
    virtual void solve(const double* rhs, std::int64_t count, double* solution) const = 0;
};

/// Throws NumericalError if a squared pivot (the diagonal of L^2, or D of L D L^T) lost all its digits against
/// the diagonal entry of the matrix that it came from: pivot[i] belongs to diagonal[order[i]].
void check_pivots(const std::vector<double>& pivot, const std::int32_t* order, const SparseMatrix& lower);

}  // namespace rigwright::linalg
