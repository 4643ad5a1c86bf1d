#pragma once
#include <cstdint>

namespace rigcast::linalg {

/// Sums of rows of a Gram matrix, and of other vectors, compiled for every instruction set. Vectors have n numbers.
struct GramKernels {
    double (*dot)(const double* x, const double* y, std::int64_t n);
    /// y += scale x
    void (*add_scaled)(double scale, const double* x, double* y, std::int64_t n);
    /// y += sum_i coefficients[i] rows[i], i < count.
    void (*add_rows)(const double* coefficients, const double* const* rows, std::int64_t count, double* y,
                     std::int64_t n);
    /// y = sum_i coefficients[i] rows[i], i < count; count >= 1.
    void (*sum_rows)(const double* coefficients, const double* const* rows, std::int64_t count, double* y,
                     std::int64_t n);
    /// sum_rows in single precision.
    void (*sum_rows_single)(const float* coefficients, const float* const* rows, std::int64_t count, float* y,
                            std::int64_t n);
};

/// The kernels for the instruction set of this process.
const GramKernels& gram_kernels();

}  // namespace rigcast::linalg
