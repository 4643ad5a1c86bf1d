#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

/// The tiles that matrix_units.h multiplies, and where their numbers lie. The numbers of a tile lie by lanes.
namespace rigcast::cuda {

constexpr int lanes_per_warp = 32;

struct alignas(16) FourFloats {
    float value[4];
};
/// A 16 x 16 tile of A (rows, depth) in float32: numbers 4 h to 4 h + 3 of each lane in half h.
struct FloatRowTile {
    FourFloats half[2][lanes_per_warp];
};
/// A 16 x 8 tile of B (depth, columns) in float32.
struct FloatColumnTile {
    FourFloats lane[lanes_per_warp];
};

/// Where the numbers of tiles of float32 lie. The units take depth in an order of their own; any order is right that A
/// and B share: here a lane has four neighbors.
struct FloatTile {
    static constexpr int rows = 16;
    static constexpr int columns = 8;
    static constexpr int depth = 16;
    static constexpr int row_numbers = 8;     // of a lane, of A
    static constexpr int column_numbers = 4;  // of B
    static constexpr int sums = 4;            // of the result

    /// Number i of a lane of A is A(row, depth).
    RIGCAST_DEVICE static constexpr int row(int lane, int i) { return lane / 4 + 8 * (i % 2); }
    RIGCAST_DEVICE static constexpr int row_depth(int lane, int i) { return 4 * (lane % 4) + i / 2; }
    /// Number i of a lane of B is B(depth, column): four depths from 4 (lane % 4) on.
    RIGCAST_DEVICE static constexpr int column(int lane) { return lane / 4; }
    RIGCAST_DEVICE static constexpr int column_depth(int lane, int i) { return 4 * (lane % 4) + i; }
    /// Sum i of a lane is at (row, column) of the result.
    RIGCAST_DEVICE static constexpr int sum_row(int lane, int i) { return lane / 4 + 8 * (i / 2); }
    RIGCAST_DEVICE static constexpr int sum_column(int lane, int i) { return 2 * (lane % 4) + i % 2; }
};

struct alignas(16) TwoDoubles {
    double value[2];
};
/// A 16 x 8 tile of A (rows, depth) in float64: numbers 2 h and 2 h + 1 of each lane in half h.
struct DoubleRowTile {
    TwoDoubles half[2][lanes_per_warp];
};
/// An 8 x 8 tile of B (depth, columns) in float64.
struct DoubleColumnTile {
    TwoDoubles lane[lanes_per_warp];
};

/// Where the numbers of tiles of float64 lie; a lane has two neighbors in depth. Members as of FloatTile.
struct DoubleTile {
    static constexpr int rows = 16;
    static constexpr int columns = 8;
    static constexpr int depth = 8;
    static constexpr int row_numbers = 4;
    static constexpr int column_numbers = 2;
    static constexpr int sums = 4;

    RIGCAST_DEVICE static constexpr int row(int lane, int i) { return lane / 4 + 8 * (i % 2); }
    RIGCAST_DEVICE static constexpr int row_depth(int lane, int i) { return 2 * (lane % 4) + i / 2; }
    RIGCAST_DEVICE static constexpr int column(int lane) { return lane / 4; }
    RIGCAST_DEVICE static constexpr int column_depth(int lane, int i) { return 2 * (lane % 4) + i; }
    RIGCAST_DEVICE static constexpr int sum_row(int lane, int i) { return lane / 4 + 8 * (i / 2); }
    RIGCAST_DEVICE static constexpr int sum_column(int lane, int i) { return 2 * (lane % 4) + i % 2; }
};

}  // namespace rigcast::cuda
