#pragma once
#include <cstdint>

namespace rigcast::capture {

/// The Jacobian of one sample's three colors: row c is
///   left[c] (9) times the derivatives (9, width) of its corners, then head[c] (6) by the head, then value[c].
struct ColorRows {
    float left[3][9];
    float head[3][6];
    float value[3];
};

/// Numbers per row: `width` weights (a multiple of 16), six of the head, the value, and zeros to a multiple of 16.
constexpr std::int64_t color_row_width(std::int64_t width) {
    return (width + 7 + 15) / 16 * 16;
}

/// Samples whose rows are added up in single precision, before they are added to the sums in double precision.
constexpr std::int64_t samples_per_batch = 32;

/// Kernels of the normal equations, compiled for every instruction set.
struct NormalKernels {
    /// Writes the rows (3 count, color_row_width(width)) of samples; derivatives[i] is (9, width), aligned to 64 bytes.
    void (*fill_rows)(const ColorRows* samples, const float* const* derivatives, std::int64_t count, std::int64_t width,
                      float* rows);
    /// sums (row, row) += A^T A of rows A (count, row), the upper triangle and some entries below it. `row` is a
    /// multiple of 16, rows and sums are aligned to 64 bytes. An entry is summed over the rows in ascending order.
    void (*add_gram)(const float* rows, std::int64_t count, std::int64_t row, double* sums);
};

/// The kernels for the instruction set of this process.
const NormalKernels& normal_kernels();

}  // namespace rigcast::capture
