#pragma once
#include <cstdint>

namespace rigwright::linalg {

/// Sums of rows of a Gram matrix, and of other vectors, compiled for every instruction set.
struct GramKernels {
    double (*dot)(const double* x, const double* y, std::int64_t n);
    /// y += a x
    void (*add_scaled)(double a, const double* x, double* y, std::int64_t n);
    /// y += sum_i factors[i] rows[i] over `count` rows.
    void (*add_rows)(const double* factors, const double* const* rows, std::int64_t count, double* y, std::int64_t n);
    /// y = sum_i factors[i] rows[i] over `count` rows, at least one.
    void (*sum_rows)(const double* factors, const double* const* rows, std::int64_t count, double* y, std::int64_t n);
    void (*sum_rows_single)(const float* factors, const float* const* rows, std::int64_t count, float* y,
                            std::int64_t n);
};

/// Those of the instruction set that this process uses.
const GramKernels& gram_kernels();

}  // namespace rigwright::linalg
