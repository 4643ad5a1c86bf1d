#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/matrix_tiles.h"

/// Products of small tiles by a warp, on the matrix units of a GPU (from compute capability 8.0 on) or as plain sums in
/// the emulation. A lane holds a few numbers of each tile. The numbers of a tile lie by lanes, in shared or global
/// memory, so that each lane reads its own as whole words and neighboring lanes neighboring words.
///
/// float32 in two parts: x = high + low in TF32 (11 bits), so that |x - high - low| <= 2^-23 |x|. Three products of
/// parts, low high + high low + high high, leave out 2^-22 of a term. The units cut sums off toward 0, which would bias
/// long ones; so they sum 8 terms at a time, which are added as float32 (Ootomo and Yokota 2022). Together as exact as
/// sums in float32, for three times the units' work. Two parts of bfloat16 would run twice as fast, with an error of
/// 2^-18.
namespace rigcast::cuda {

/// The bits of a number, and back.
RIGCAST_DEVICE inline std::uint32_t bits_of(float x) {
#ifdef __CUDA_ARCH__
    return __float_as_uint(x);
#else
    return std::bit_cast<std::uint32_t>(x);
#endif
}
RIGCAST_DEVICE inline float float_of(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    return std::bit_cast<float>(bits);
#endif
}

/// x in two parts of TF32. The high one is rounded to nearest, ties away from 0, which leaves a whole number of at most
/// 2^12 units of the last place of x; the low part keeps 11 bits of it. If x is infinite or NaN, the low part is NaN.
/// Four instructions; two conversions by cvt.rna.tf32 take nine.
struct Split {
    float high;
    float low;
};
RIGCAST_DEVICE inline Split split(float x) {
    constexpr std::uint32_t bits_of_tf32 = 0xffffe000u;
    const float high = float_of((bits_of(x) + 0x1000u) & bits_of_tf32);
    return {high, float_of(bits_of(x - high) & bits_of_tf32)};
}

#ifdef __CUDA_ARCH__

/// Depths of 8 of a tile: a are numbers 4 h to 4 h + 3 of A, b numbers 2 h and 2 h + 1 of B.
__device__ inline void multiply_parts(const float (&a)[4], const float (&b)[2], float (&sum)[4]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// Depths of 8: on compute capability 9.0 one instruction, before that four; a result differs by rounding alone.
__device__ inline void multiply_eight(const TwoDoubles (&a)[2], const TwoDoubles& b, double (&sum)[4]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(a[0].value[0]), "d"(a[0].value[1]), "d"(a[1].value[0]), "d"(a[1].value[1]), "d"(b.value[0]),
          "d"(b.value[1]));
#else
    RIGCAST_UNROLL
    for (int rows = 0; rows < 2; ++rows) {
        RIGCAST_UNROLL
        for (int k = 0; k < 2; ++k) {
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                         : "+d"(sum[2 * rows]), "+d"(sum[2 * rows + 1])
                         : "d"(a[k].value[rows]), "d"(b.value[k]));
        }
    }
#endif
}

/// Depths of 16, two tiles one behind the other: the largest instruction of compute capability 9.0, which alone reaches
/// its full rate.
__device__ inline void multiply_sixteen(const TwoDoubles (&a)[2][2], const TwoDoubles (&b)[2], double (&sum)[4]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
        "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(a[0][0].value[0]), "d"(a[0][0].value[1]), "d"(a[0][1].value[0]), "d"(a[0][1].value[1]),
          "d"(a[1][0].value[0]), "d"(a[1][0].value[1]), "d"(a[1][1].value[0]), "d"(a[1][1].value[1]),
          "d"(b[0].value[0]), "d"(b[0].value[1]), "d"(b[1].value[0]), "d"(b[1].value[1]));
#else
    multiply_eight(a[0], b[0], sum);
    multiply_eight(a[1], b[1], sum);
#endif
}

#else

/// A float32 from a sum that the matrix units make: what does not fit is cut off, toward 0.
inline float cut_off(double sum) {
    const auto rounded = static_cast<float>(sum);
    const bool is_larger = rounded > 0.0f ? rounded > sum : rounded < sum;
    return is_larger && std::isfinite(rounded) ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) - 1u)
                                               : rounded;
}

/// Adds the products of one part of A and one of B over the depths of half h to a lane's sums.
template <class PartOfA, class PartOfB>
void multiply_parts(int lane, int half, const FloatRowTile& a, const FloatColumnTile& b, const PartOfA& part_a,
                    const PartOfB& part_b, float (&sum)[FloatTile::sums]) {
    for (int s = 0; s < FloatTile::sums; ++s) {
        const int row = FloatTile::sum_row(lane, s);
        const int column = FloatTile::sum_column(lane, s);
        double total = sum[s];
        for (int k = 0; k < FloatTile::depth / 2; ++k) {
            const int owner = k / 2;  // among the four lanes that share the depths of a row or column
            const float x = a.half[half][row % 8 * 4 + owner].value[row / 8 + 2 * (k % 2)];
            const float y = b.lane[column * 4 + owner].value[2 * half + k % 2];
            total += static_cast<double>(part_a(split(x))) * part_b(split(y));
        }
        sum[s] = cut_off(total);
    }
}

#endif

#ifdef __CUDA_ARCH__

/// Adds the products of a lane's numbers: a(i, half) are numbers 4 half to 4 half + 3 of tile i of A, b[j] those of B.
template <int Rows, int Columns, class RowNumbers>
__device__ void multiply_numbers(const RowNumbers& a, const FourFloats (&b)[Columns], bool one_part, unsigned tiles,
                                 float (&sum)[Rows][Columns][FloatTile::sums]) {
    RIGCAST_UNROLL
    for (int half = 0; half < 2; ++half) {
        float high_b[Columns][2], low_b[Columns][2];
        RIGCAST_UNROLL
        for (int j = 0; j < Columns; ++j) {
            RIGCAST_UNROLL
            for (int k = 0; k < 2; ++k) {
                const Split parts = split(b[j].value[2 * half + k]);
                high_b[j][k] = parts.high;
                low_b[j][k] = parts.low;
            }
        }
        RIGCAST_UNROLL
        for (int i = 0; i < Rows; ++i) {
            if ((tiles >> i & 1u) == 0) continue;
            const FourFloats numbers = a(i, half);
            float high_a[4], low_a[4];
            RIGCAST_UNROLL
            for (int k = 0; k < 4; ++k) {
                const Split parts = split(numbers.value[k]);
                high_a[k] = parts.high;
                low_a[k] = parts.low;
            }
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) {
                float part[FloatTile::sums] = {};
                if (!one_part) multiply_parts(low_a, high_b[j], part);
                multiply_parts(high_a, low_b[j], part);
                multiply_parts(high_a, high_b[j], part);
                RIGCAST_UNROLL
                for (int s = 0; s < FloatTile::sums; ++s) sum[i][j][s] += part[s];
            }
        }
    }
}

#endif

/// Adds A B of Rows x Columns tiles to a lane's sums. Tile i of A is a[i * a_step], tile j of B is b[j * b_step];
/// `one_part`: the low parts of A are 0; row tile i takes part if bit i of `tiles` is set. All lanes of the warp call
/// it. The order of the terms of a sum does not depend on Rows, Columns or other tiles.
template <int Rows, int Columns>
RIGCAST_DEVICE void multiply_floats(int lane, const FloatRowTile* a, int a_step, const FloatColumnTile* b, int b_step,
                                    bool one_part, float (&sum)[Rows][Columns][FloatTile::sums], unsigned tiles = ~0u) {
#ifdef __CUDA_ARCH__
    FourFloats columns[Columns];
    RIGCAST_UNROLL
    for (int j = 0; j < Columns; ++j) columns[j] = b[j * b_step].lane[lane];
    multiply_numbers([&](int i, int half) { return a[i * a_step].half[half][lane]; }, columns, one_part, tiles, sum);
#else
    const auto high = [](Split parts) { return parts.high; };
    const auto low = [](Split parts) { return parts.low; };
    for (int i = 0; i < Rows; ++i) {
        if ((tiles >> i & 1u) == 0) continue;
        for (int j = 0; j < Columns; ++j) {
            for (int half = 0; half < 2; ++half) {
                const FloatRowTile& of_a = a[i * a_step];
                const FloatColumnTile& of_b = b[j * b_step];
                float part[FloatTile::sums] = {};
                if (!one_part) multiply_parts(lane, half, of_a, of_b, low, high, part);
                multiply_parts(lane, half, of_a, of_b, high, low, part);
                multiply_parts(lane, half, of_a, of_b, high, high, part);
                for (int s = 0; s < FloatTile::sums; ++s) sum[i][j][s] += part[s];
            }
        }
    }
#endif
}

/// The same for tiles that lie in memory in another way: rows(lane, i, half) are numbers 4 half to 4 half + 3 of a lane
/// of tile i of A, columns(lane, j) the numbers of a lane of tile j of B. On a device each lane asks for its own alone,
/// and for all of them before it multiplies, so that it waits for memory once.
template <int Rows, int Columns, class RowNumbers, class ColumnNumbers>
RIGCAST_DEVICE void multiply_floats(int lane, const RowNumbers& rows, const ColumnNumbers& columns,
                                    float (&sum)[Rows][Columns][FloatTile::sums]) {
#ifdef __CUDA_ARCH__
    FourFloats a[Rows][2], b[Columns];
    RIGCAST_UNROLL
    for (int i = 0; i < Rows; ++i) {
        RIGCAST_UNROLL
        for (int half = 0; half < 2; ++half) a[i][half] = rows(lane, i, half);
    }
    RIGCAST_UNROLL
    for (int j = 0; j < Columns; ++j) b[j] = columns(lane, j);
    multiply_numbers([&](int i, int half) { return a[i][half]; }, b, false, ~0u, sum);
#else
    FloatRowTile a[Rows];  // of those lanes that have the rows and columns of this one's sums
    FloatColumnTile b[Columns];
    for (int other = 0; other < lanes_per_warp; ++other) {
        for (int i = 0; i < Rows && other / 4 == lane / 4; ++i) {
            for (int half = 0; half < 2; ++half) a[i].half[half][other] = rows(other, i, half);
        }
        for (int j = 0; j < Columns && other / 8 == lane % 4; ++j) b[j].lane[other] = columns(other, j);
    }
    multiply_floats(lane, a, 1, b, 1, false, sum);
#endif
}

/// Adds A B in float64, `Depths` tiles deep. Tile i of A at depth d is a[i * a_step.tile + d * a_step.depth]; likewise
/// B.
struct TileSteps {
    int tile;
    int depth;
};
template <int Depths, int Rows, int Columns>
RIGCAST_DEVICE void multiply_doubles(int lane, const DoubleRowTile* a, TileSteps a_step, const DoubleColumnTile* b,
                                     TileSteps b_step, double (&sum)[Rows][Columns][DoubleTile::sums]) {
#ifdef __CUDA_ARCH__
    RIGCAST_UNROLL
    for (int depth = 0; depth < Depths; depth += 2) {
        const int count = depth + 1 < Depths ? 2 : 1;
        TwoDoubles columns[Columns][2];
        RIGCAST_UNROLL
        for (int j = 0; j < Columns; ++j) {
            RIGCAST_UNROLL
            for (int d = 0; d < count; ++d) columns[j][d] = b[j * b_step.tile + (depth + d) * b_step.depth].lane[lane];
        }
        RIGCAST_UNROLL
        for (int i = 0; i < Rows; ++i) {
            TwoDoubles rows[2][2];
            RIGCAST_UNROLL
            for (int d = 0; d < count; ++d) {
                const DoubleRowTile& tile = a[i * a_step.tile + (depth + d) * a_step.depth];
                rows[d][0] = tile.half[0][lane];
                rows[d][1] = tile.half[1][lane];
            }
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) {
                if (count == 2) {
                    multiply_sixteen(rows, columns[j], sum[i][j]);
                } else {
                    multiply_eight(rows[0], columns[j][0], sum[i][j]);
                }
            }
        }
    }
#else
    for (int i = 0; i < Rows; ++i) {
        for (int j = 0; j < Columns; ++j) {
            for (int s = 0; s < DoubleTile::sums; ++s) {
                const int row = DoubleTile::sum_row(lane, s);
                const int column = DoubleTile::sum_column(lane, s);
                for (int k = 0; k < Depths * DoubleTile::depth; ++k) {
                    const int depth = k / DoubleTile::depth;
                    const int own = k % DoubleTile::depth;
                    const DoubleRowTile& of_a = a[i * a_step.tile + depth * a_step.depth];
                    const DoubleColumnTile& of_b = b[j * b_step.tile + depth * b_step.depth];
                    sum[i][j][s] += of_a.half[own % 2][row % 8 * 4 + own / 2].value[row / 8] *
                                    of_b.lane[column * 4 + own / 2].value[own % 2];
                }
            }
        }
    }
#endif
}

}  // namespace rigcast::cuda
