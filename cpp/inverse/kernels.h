#pragma once
#include <cstdint>

/// Dense double-precision kernels of the Gram space, compiled for every instruction set.
namespace rigwright::inverse {

struct Kernels {
    double (*dot)(const double* x, const double* y, std::int64_t n);
    /// y += a x
    void (*add_scaled)(double a, const double* x, double* y, std::int64_t n);
    /// Upper Cholesky factor U, U^T U = matrix, in place, rows `stride` apart; only the upper triangle is read, the
    /// lower one is working memory. False where a pivot falls below `floor` times its diagonal entry.
    bool (*cholesky)(double* matrix, std::int64_t n, std::int64_t stride, double floor);
    /// x <- (U^T U)^-1 x
    void (*cholesky_solve)(const double* factor, std::int64_t n, std::int64_t stride, double* x);
};

/// Those of the instruction set that this process uses.
const Kernels& kernels();

}  // namespace rigwright::inverse
