#pragma once
#include "rigwright/core/portable.h"

namespace rigwright::cuda {

constexpr int warp_size = 32;  // threads

/// One step of a tile kernel's matrix product (block.h): warp w of a block adds a(., w Rows + i)^T b(., j) to its sums
/// for i < Rows and all columns j. A thread has Columns of them, a warp apart, so that a warp stores whole lines. The
/// terms of a sum come one after another.
template <int Depth, int PitchA, int PitchB, int Rows, int Columns, class A, class B, class Sum>
RIGWRIGHT_DEVICE void multiply_tile(int thread, const A (&a)[Depth][PitchA], const B (&b)[Depth][PitchB],
                                    Sum (&sum)[Rows][Columns]) {
    const int first_row = thread / warp_size * Rows, lane = thread % warp_size;
    RIGWRIGHT_UNROLL
    for (int k = 0; k < Depth; ++k) {
        RIGWRIGHT_UNROLL
        for (int i = 0; i < Rows; ++i) {
            RIGWRIGHT_UNROLL
            for (int j = 0; j < Columns; ++j) sum[i][j] += a[k][first_row + i] * b[k][lane + warp_size * j];
        }
    }
}

}  // namespace rigwright::cuda
