#pragma once
#include "rigcast/core/portable.h"

namespace rigcast::cuda {

constexpr int warp_size = 32;  // threads

/// One step of a tile kernel's matrix product (block.h): sum(i, j) += sum_k a(k, i) b(k, j), k < Depth. Warp w of a
/// block has the rows i = w Rows to before (w + 1) Rows; a thread has Columns columns of them, warp_size apart, so that
/// a warp stores whole lines. The terms of a sum are added in the order of k.
template <int Depth, int PitchA, int PitchB, int Rows, int Columns, class A, class B, class Sum>
RIGCAST_DEVICE void multiply_tile(int thread, const A (&a)[Depth][PitchA], const B (&b)[Depth][PitchB],
                                  Sum (&sum)[Rows][Columns]) {
    const int first_row = thread / warp_size * Rows;
    const int lane = thread % warp_size;
    RIGCAST_UNROLL
    for (int k = 0; k < Depth; ++k) {
        RIGCAST_UNROLL
        for (int i = 0; i < Rows; ++i) {
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) sum[i][j] += a[k][first_row + i] * b[k][lane + warp_size * j];
        }
    }
}

}  // namespace rigcast::cuda
