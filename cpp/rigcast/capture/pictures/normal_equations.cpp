#include "rigcast/capture/pictures/normal_equations.h"

#include "rigcast/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/capture/pictures/normal_equations.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::capture::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using Floats = hn::Vec<F>;
constexpr F f;

void fill_rows(const ColorRows* samples, const float* const* derivatives, std::int64_t count, std::int64_t width,
               float* rows) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(f)), row = color_row_width(width);
    for (std::int64_t i = 0; i < count; ++i) {
        const ColorRows& sample = samples[i];
        float* to = rows + 3 * i * row;
        for (std::int64_t k = 0; k < width; k += lanes) {
            Floats sum[3] = {hn::Zero(f), hn::Zero(f), hn::Zero(f)};
            for (int j = 0; j < 9; ++j) {
                const Floats delta = hn::Load(f, derivatives[i] + j * width + k);
                for (int c = 0; c < 3; ++c) sum[c] = hn::MulAdd(hn::Set(f, sample.left[c][j]), delta, sum[c]);
            }
            for (int c = 0; c < 3; ++c) hn::Store(sum[c], f, to + c * row + k);
        }
        for (int c = 0; c < 3; ++c) {
            float* tail = to + c * row + width;
            for (int j = 0; j < 6; ++j) tail[j] = sample.head[c][j];
            tail[6] = sample.value[c];
            for (std::int64_t k = 7; k < row - width; ++k) tail[k] = 0.0f;
        }
    }
}

/// Entries (first ... first + Rows - 1, column ... column + Vectors lanes - 1).
template <int Rows, int Vectors>
HWY_INLINE void add_tile(const float* rows, std::int64_t count, std::int64_t row, std::int64_t first,
                         std::int64_t column, double* sums) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(f));
    Floats sum[Rows][Vectors];
    for (int a = 0; a < Rows; ++a) {
        for (int b = 0; b < Vectors; ++b) sum[a][b] = hn::Zero(f);
    }
    for (std::int64_t r = 0; r < count; ++r) {
        const float* from = rows + r * row;
        Floats right[Vectors];
        for (int b = 0; b < Vectors; ++b) right[b] = hn::Load(f, from + column + b * lanes);
        for (int a = 0; a < Rows; ++a) {
            const Floats left = hn::Set(f, from[first + a]);
            for (int b = 0; b < Vectors; ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
        }
    }
    HWY_ALIGN float spilled[16];
    for (int a = 0; a < Rows; ++a) {
        for (int b = 0; b < Vectors; ++b) {
            hn::Store(sum[a][b], f, spilled);
            double* to = sums + (first + a) * row + column + b * lanes;
            for (std::int64_t k = 0; k < lanes; ++k) to[k] += static_cast<double>(spilled[k]);
        }
    }
}

void add_gram(const float* rows, std::int64_t count, std::int64_t row, double* sums) {
    constexpr int height = HWY_MAX_BYTES >= 64 ? 8 : 4;  // rows of a tile whose sums fit the registers; divides 16
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(f));
    for (std::int64_t first = 0; first < row; first += height) {
        std::int64_t column = first / lanes * lanes;
        for (; column + 2 * lanes <= row; column += 2 * lanes) {
            add_tile<height, 2>(rows, count, row, first, column, sums);
        }
        if (column < row) add_tile<height, 1>(rows, count, row, first, column, sums);
    }
}

const NormalKernels* normal_table() {
    static constexpr NormalKernels all{&fill_rows, &add_gram};
    return &all;
}

}  // namespace rigcast::capture::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::capture {

RIGCAST_EXPORT(normal_table);

RIGCAST_KERNEL_TABLE(NormalKernels, normal_kernels, normal_table)

}  // namespace rigcast::capture
#endif
