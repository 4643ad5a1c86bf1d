#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/rig/blendshapes/blendshape_rig.h"

namespace rigwright::cuda {

/// Which columns a tile of vertices holds: those that move one of them, or all, which makes the whole rig one dense
/// matrix.
enum class Columns { moving, all };

/// A blendshape rig as BlendshapeProduct wants it, on the host: 32 vertices a tile, in the order of the rig's groups,
/// so that the columns of a tile are much the same for all of them; a row of 96 numbers a column of the tile.
struct BlendshapePlan {
    BlendshapePlan(const rig::BlendshapeRig& rig, Columns which);

    /// The rows of each tile by the place of their column in an order of the shapes, so that a prefix of it is a prefix
    /// of the rows. `order` (K) must hold each shape once.
    struct Order {
        std::vector<std::int32_t> shape_rank;  // (K) place of each shape
        std::vector<std::int32_t> column, row,
            rank;  // (R): column, row of the numbers, place of the column's last shape
    };
    Order ordered(const std::vector<std::int32_t>& order) const;

    std::int64_t num_shapes, num_columns, num_vertices;
    std::vector<float> neutral;             // (V, 3)
    std::vector<std::int32_t> vertex;       // (tiles * 32), -1 beyond the last
    std::vector<std::int32_t> tile_offset;  // (tiles + 1) into the rows
    std::vector<std::int32_t> row_column;   // (R)
    std::vector<float> numbers;             // (R, 96), or
    std::vector<std::int16_t> half_numbers;
    std::vector<float> scale;                 // (N)
    std::vector<std::int32_t> factor_offset;  // (C + 1)
    std::vector<std::int32_t> factor_shape;   // (M)
    std::vector<float> factor_tent;           // (M, 3), zeros for a plain weight

    std::int64_t num_tiles() const { return static_cast<std::int64_t>(tile_offset.size()) - 1; }

private:
    void read_factors(const rig::BlendshapeRig& rig);
    void read_numbers(const rig::GroupedColumns& grouped, const std::vector<std::vector<std::int32_t>>& row_of);
};

}  // namespace rigwright::cuda
