#pragma once
#include <cstdint>

namespace rigwright::linalg {

/// Room of a row for n numbers and a whole vector after any of them.
constexpr std::int64_t padded_width(std::int64_t n) {
    return (n + 7) / 8 * 8 + 8;
}

/// Cholesky factorization of dense symmetric matrices in double precision, compiled for every instruction set.
struct DenseCholesky {
    /// Upper Cholesky factor U, U^T U = matrix, in place, rows `stride` >= padded_width(n) apart and zero from n on;
    /// only the upper triangle is read, the lower one is working memory (finite). Writes 1 / diagonal of U. False where
    /// a pivot falls below `floor` times its diagonal entry.
    bool (*factor)(double* matrix, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal);
    /// x <- (U^T U)^-1 x; x has room for padded_width(n) numbers.
    void (*solve)(const double* factor, std::int64_t n, std::int64_t stride, const double* inverse_diagonal, double* x);
    /// The factor with one more row and column of the matrix at its end; stride >= padded_width(n + 1). Overwrites the
    /// column, which has room like x. False, with the factor unchanged, where the pivot falls below `floor` times the
    /// diagonal entry.
    bool (*append)(double* factor, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal,
                   double* column, double diagonal);
    /// The factor without one row and column of the matrix.
    void (*remove)(double* factor, std::int64_t n, std::int64_t stride, double* inverse_diagonal,
                   std::int64_t position);
};

/// Those of the instruction set that this process uses.
const DenseCholesky& dense_cholesky();

}  // namespace rigwright::linalg
