#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/cuda/products/blendshape_product.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::cuda {

/// The columns that a tile of vertices has: those that move one of its vertices, or all, which makes the whole rig one
/// dense matrix.
enum class Columns { moving, all };

/// A blendshape rig in the layout of BlendshapeTiles, on the host. The vertices of a window (256 successive ones) are
/// in an order in which those of a tile (16) are moved by much the same columns. Each column of a tile is a row of 48
/// values: the x of all its vertices, then y, then z.
struct BlendshapePlan {
    BlendshapePlan(const rig::BlendshapeRig& rig, Columns which);

    std::int64_t num_shapes;
    std::int64_t num_columns;
    std::int64_t num_vertices;
    std::int64_t num_windows;
    std::vector<float> neutral;               // (V, 3)
    std::vector<std::int32_t> vertex;         // (tiles, 16), -1 after the last of a window
    std::vector<std::int32_t> tile_offset;    // (tiles + 1) into the rows
    std::vector<std::int32_t> row_column;     // (R) ascending inside a tile
    std::vector<float> values;                // (R, 48), or empty:
    std::vector<std::int16_t> int16_values;   // (R, 48), times the scale of the column
    std::vector<float> scale;                 // (N)
    std::vector<std::int32_t> driver_offset;  // (C + 1) of the combinations in the drivers
    std::vector<std::int32_t> driver_shape;   // (M)
    std::vector<float> driver_tent;           // (M, 3), zeros for a plain weight

    std::int64_t num_tiles() const { return static_cast<std::int64_t>(tile_offset.size()) - 1; }

    /// The rows of each tile, sorted by the position of their column's last shape in an order of the shapes: a prefix
    /// of the order is a prefix of the rows.
    struct Rows {
        std::vector<std::int32_t> shape_rank;  // (K) position of each shape in the order
        std::vector<TileRow> rows;             // (R)
        std::vector<std::int32_t> rank;        // (R) position of the column's last shape
    };
    /// `order` (K) must contain each shape once.
    Rows sorted_rows(const std::vector<std::int32_t>& order) const;

private:
    /// (tiles, N) true if the tile has the column.
    using ColumnsOfTiles = std::vector<std::vector<bool>>;
    /// Where the offsets of a vertex lie: its group, or -1 if no column moves it, and its index among the group's.
    struct Place {
        std::int64_t group = -1;
        std::int64_t index = 0;
    };

    void list_drivers(const rig::BlendshapeRig& rig);
    void find_places(const rig::GroupedColumns& grouped);
    void order_vertices(const rig::GroupedColumns& grouped);
    ColumnsOfTiles columns_of_tiles(const rig::GroupedColumns& grouped, Columns which) const;
    void list_rows(const ColumnsOfTiles& columns);
    void copy_values(const rig::GroupedColumns& grouped);

    std::vector<Place> place;  // (V)
};

}  // namespace rigcast::cuda
