#pragma once
#include <cstdint>

namespace rigcast::linalg {

/// Numbers to allocate per row of n numbers: rounded up to eight, and one more vector of eight, so that vectors may
/// start at any of the n numbers.
constexpr std::int64_t padded_width(std::int64_t n) {
    return (n + 7) / 8 * 8 + 8;
}

/// Cholesky factorization U^T U of a dense symmetric positive definite matrix in double precision, compiled for every
/// instruction set.
///
/// U is upper triangular (n, n), row-major; its rows are `stride` >= padded_width(n) numbers apart and zero from column
/// n on. `inverse_diagonal` (n) holds the inverses of its diagonal. A pivot counts as not positive if it is at most
/// `floor` times the diagonal entry of the matrix. Vectors x have padded_width(n) numbers, of which n count.
///
///   factorize   O(n^3)   matrix (n, n)  ->  U
///   solve       O(n^2)   x <- (U^T U)^-1 x
///   append      O(n^2)   U (n, n)  ->  U (n + 1, n + 1), for one more row and column of the matrix
///   remove      O(n^2)   U (n, n)  ->  U (n - 1, n - 1), without one row and column of the matrix
struct DenseCholesky {
    /// Overwrites `matrix`, whose upper triangle is read, with U; the lower triangle must be finite and is undefined
    /// afterwards. Returns false if a pivot is not positive.
    bool (*factorize)(double* matrix, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal);
    void (*solve)(const double* upper, std::int64_t n, std::int64_t stride, const double* inverse_diagonal, double* x);
    /// `column` (padded_width(n), overwritten) and `diagonal` are the new column of the matrix; stride must be at least
    /// padded_width(n + 1). Returns false, and leaves U as it is, if the new pivot is not positive.
    bool (*append)(double* upper, std::int64_t n, std::int64_t stride, double floor, double* inverse_diagonal,
                   double* column, double diagonal);
    /// `position` is the row and column to remove.
    void (*remove)(double* upper, std::int64_t n, std::int64_t stride, double* inverse_diagonal, std::int64_t position);
};

/// The functions for the instruction set of this process.
const DenseCholesky& dense_cholesky();

}  // namespace rigcast::linalg
