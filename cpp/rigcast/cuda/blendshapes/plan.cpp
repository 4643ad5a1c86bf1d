#include "rigcast/cuda/blendshapes/plan.h"

#include <algorithm>
#include <numeric>

namespace rigcast::cuda {
namespace {

using rig::GroupedColumns;

constexpr std::int64_t vertices_per_tile = BlendshapeProduct<float>::vertices_per_tile;
constexpr std::int64_t vertices_per_window = BlendshapeProduct<float>::vertices_per_window;
constexpr std::int64_t values_per_row = BlendshapeProduct<float>::values_per_row;
static_assert(vertices_per_window == GroupedColumns::vertices_per_window);

/// Calls function(group, position of its first vertex): the vertices of a window follow one another, group by group.
template <class Function>
void for_each_group(const GroupedColumns& grouped, const Function& function) {
    for (std::int64_t w = 0; w < grouped.num_windows(); ++w) {
        std::int64_t position = w * vertices_per_window;
        for (std::int64_t g = grouped.first_group(w); g < grouped.first_group(w + 1); ++g) {
            const GroupedColumns::Group group = grouped.group(g);
            function(group, position);
            position += group.size;
        }
    }
}

/// Returns true if column n moves the group.
bool moves(const GroupedColumns::Group& group, std::int64_t n) {
    return (static_cast<std::uint32_t>(group.columns[n / 32]) >> (n % 32) & 1) != 0;
}

}  // namespace

BlendshapePlan::BlendshapePlan(const rig::BlendshapeRig& rig, Columns which)
    : num_shapes(rig.num_shapes()),
      num_columns(rig.num_columns()),
      num_vertices(rig.character().num_vertices()),
      neutral(rig.character().rest_vertices.begin(), rig.character().rest_vertices.end()) {
    for (std::int64_t n = 0; n < num_columns; ++n) scale.push_back(rig.grouped().scale(n));
    list_drivers(rig);
    order_vertices(rig.grouped());
    list_rows(columns_of_tiles(rig.grouped(), which));
    copy_values(rig.grouped());
}

void BlendshapePlan::list_drivers(const rig::BlendshapeRig& rig) {
    driver_offset.push_back(0);
    for (std::int64_t c = 0; c < num_columns - num_shapes; ++c) {
        for (const rig::Driver& driver : rig.drivers(c)) {
            driver_shape.push_back(driver.shape);
            driver_tent.insert(driver_tent.end(), {driver.tent.x1, driver.tent.x2, driver.tent.x3});
        }
        driver_offset.push_back(static_cast<std::int32_t>(driver_shape.size()));
    }
}

/// In each window the vertices of the groups, then those that no column moves.
void BlendshapePlan::order_vertices(const GroupedColumns& grouped) {
    num_windows = grouped.num_windows();
    vertex.assign(num_windows * vertices_per_window, -1);
    std::vector<std::int64_t> moved(num_windows);
    for_each_group(grouped, [&](const GroupedColumns::Group& group, std::int64_t position) {
        std::copy_n(group.vertex, group.size, vertex.begin() + position);
        moved[position / vertices_per_window] += group.size;
    });
    for (std::int64_t w = 0; w < num_windows; ++w) {
        auto next = vertex.begin() + w * vertices_per_window + moved[w];
        for (const GroupedColumns::VertexRange& unmoved : grouped.unmoved(w)) {
            std::iota(next, next + unmoved.count, unmoved.first);
            next += unmoved.count;
        }
    }
}

BlendshapePlan::ColumnsOfTiles BlendshapePlan::columns_of_tiles(const GroupedColumns& grouped, Columns which) const {
    const std::int64_t tiles = static_cast<std::int64_t>(vertex.size()) / vertices_per_tile;
    ColumnsOfTiles columns(tiles, std::vector<bool>(num_columns));
    for (std::int64_t tile = 0; which == Columns::all && tile < tiles; ++tile) {
        if (vertex[tile * vertices_per_tile] >= 0) columns[tile].assign(num_columns, true);
    }
    for_each_group(grouped, [&](const GroupedColumns::Group& group, std::int64_t position) {
        const std::int64_t last = (position + group.size - 1) / vertices_per_tile;
        for (std::int64_t tile = position / vertices_per_tile; tile <= last; ++tile) {
            for (std::int64_t n = 0; n < num_columns; ++n) {
                if (moves(group, n)) columns[tile][n] = true;
            }
        }
    });
    return columns;
}

void BlendshapePlan::list_rows(const ColumnsOfTiles& columns) {
    tile_offset.push_back(0);
    for (const std::vector<bool>& has_column : columns) {
        for (std::int64_t n = 0; n < num_columns; ++n) {
            if (has_column[n]) row_column.push_back(static_cast<std::int32_t>(n));
        }
        tile_offset.push_back(static_cast<std::int32_t>(row_column.size()));
    }
}

/// The row of a column that the tile has.
std::int64_t BlendshapePlan::row_of(std::int64_t tile, std::int64_t column) const {
    const auto begin = row_column.begin() + tile_offset[tile];
    const auto end = row_column.begin() + tile_offset[tile + 1];
    return std::lower_bound(begin, end, static_cast<std::int32_t>(column)) - row_column.begin();
}

void BlendshapePlan::copy_values(const GroupedColumns& grouped) {
    const std::size_t count = row_column.size() * values_per_row;
    values.resize(grouped.is_int16() ? 0 : count);
    int16_values.resize(grouped.is_int16() ? count : 0);
    for_each_group(grouped, [&](const GroupedColumns::Group& group, std::int64_t position) {
        std::int64_t from = group.data;
        for (std::int64_t n = 0; n < num_columns; ++n) {
            if (!moves(group, n)) continue;
            std::int64_t tile = -1;
            std::int64_t row = 0;
            for (std::int64_t p = position; p < position + group.size; ++p, from += 3) {
                if (p / vertices_per_tile != tile) {
                    tile = p / vertices_per_tile;
                    row = row_of(tile, n);
                }
                const std::int64_t to = row * values_per_row + p % vertices_per_tile * 3;
                if (grouped.is_int16()) {
                    std::copy_n(grouped.int16_values() + from, 3, int16_values.begin() + to);
                } else {
                    std::copy_n(grouped.float_values() + from, 3, values.begin() + to);
                }
            }
        }
    });
}

BlendshapePlan::Rows BlendshapePlan::sorted_rows(const std::vector<std::int32_t>& order) const {
    Rows result;
    result.shape_rank.resize(num_shapes);
    for (std::int64_t k = 0; k < num_shapes; ++k) result.shape_rank[order[k]] = static_cast<std::int32_t>(k);
    std::vector<std::int32_t> column_rank(result.shape_rank);
    for (std::int64_t c = 0; c < num_columns - num_shapes; ++c) {
        std::int32_t last = 0;
        for (std::int32_t d = driver_offset[c]; d < driver_offset[c + 1]; ++d) {
            last = std::max(last, result.shape_rank[driver_shape[d]]);
        }
        column_rank.push_back(last);
    }
    std::vector<std::int32_t> sorted(row_column.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    for (std::int64_t tile = 0; tile < num_tiles(); ++tile) {
        std::stable_sort(
            sorted.begin() + tile_offset[tile], sorted.begin() + tile_offset[tile + 1],
            [&](std::int32_t a, std::int32_t b) { return column_rank[row_column[a]] < column_rank[row_column[b]]; });
    }
    for (const std::int32_t row : sorted) {
        result.rows.push_back({row_column[row], row});
        result.rank.push_back(column_rank[row_column[row]]);
    }
    return result;
}

}  // namespace rigcast::cuda
