#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

/// The tiles that matrix_units.h multiplies, and where their numbers lie. The numbers of a tile lie by lanes.
namespace rigcast::cuda {

constexpr int lanes_per_warp = 32;

/// Where the numbers of a tile of the result, 16 x 8, lie, and the rows and columns of those of A and B.
struct UnitTile {
    static constexpr int rows = 16;
    static constexpr int columns = 8;
    static constexpr int sums = 4;  // of the result, per lane

    /// Number i of a lane of A is in this row, every number of a lane of B in this column.
    RIGCAST_DEVICE static constexpr int row(int lane, int i) { return lane / 4 + 8 * (i % 2); }
    RIGCAST_DEVICE static constexpr int column(int lane) { return lane / 4; }
    /// Sum i of a lane is at (row, column) of the result.
    RIGCAST_DEVICE static constexpr int sum_row(int lane, int i) { return lane / 4 + 8 * (i / 2); }
    RIGCAST_DEVICE static constexpr int sum_column(int lane, int i) { return 2 * (lane % 4) + i % 2; }
};

/// The first of the tiles that a warp computes, `Rows` x `Columns` of a block's with `RowTiles` rows of them: warps go
/// along the rows first.
template <int RowTiles, int Rows, int Columns>
struct PlaceOfWarp {
    static constexpr int warps_of_rows = RowTiles / Rows;

    RIGCAST_DEVICE static constexpr int first_row(int warp) { return warp % warps_of_rows * Rows; }
    RIGCAST_DEVICE static constexpr int first_column(int warp) { return warp / warps_of_rows * Columns; }
};

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
struct FloatTile : UnitTile {
    static constexpr int depth = 16;
    static constexpr int row_numbers = 8;     // of a lane, of A
    static constexpr int column_numbers = 4;  // of B

    /// Number i of a lane of A is A(row, row_depth), of B B(column_depth, column).
    RIGCAST_DEVICE static constexpr int row_depth(int lane, int i) { return 4 * (lane % 4) + i / 2; }
    RIGCAST_DEVICE static constexpr int column_depth(int lane, int i) { return 4 * (lane % 4) + i; }
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
struct DoubleTile : UnitTile {
    static constexpr int depth = 8;
    static constexpr int row_numbers = 4;     // of a lane, of A
    static constexpr int column_numbers = 2;  // of B

    RIGCAST_DEVICE static constexpr int row_depth(int lane, int i) { return 2 * (lane % 4) + i / 2; }
    RIGCAST_DEVICE static constexpr int column_depth(int lane, int i) { return 2 * (lane % 4) + i; }
};

}  // namespace rigcast::cuda
