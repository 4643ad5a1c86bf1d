#include "rigcast/cuda/blendshapes/plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace rigcast::cuda {
namespace {

using rig::GroupedColumns;

using Tiles = BlendshapeTiles<float>;
constexpr std::int64_t vertices_per_tile = Tiles::vertices_per_tile;
constexpr std::int64_t vertices_per_window = Tiles::vertices_per_window;
constexpr std::int64_t values_per_row = Tiles::values_per_row;

/// Returns true if column n moves the group.
bool moves(const GroupedColumns::Group& group, std::int64_t n) {
    return (static_cast<std::uint32_t>(group.columns[n / 32]) >> (n % 32) & 1) != 0;
}

/// The columns that move one of two groups alone.
std::int64_t num_different(const GroupedColumns& grouped, std::int64_t a, std::int64_t b) {
    const std::int32_t* of_a = grouped.group(a).columns;
    const std::int32_t* of_b = grouped.group(b).columns;
    std::int64_t count = 0;
    for (std::int64_t w = 0; w < grouped.num_words(); ++w) {
        count += std::popcount(static_cast<std::uint32_t>(of_a[w] ^ of_b[w]));
    }
    return count;
}

/// Puts the groups of a window in a chain: each is followed by the most similar one of those left. 46,000 vertices that
/// 72 shapes move at random places need 15 % fewer rows than in the order of the file.
void chain(const GroupedColumns& grouped, std::vector<std::int64_t>& groups) {
    for (std::size_t i = 1; i < groups.size(); ++i) {
        const auto begin = groups.begin() + static_cast<std::ptrdiff_t>(i);
        const auto next = std::min_element(begin, groups.end(), [&](std::int64_t a, std::int64_t b) {
            return num_different(grouped, groups[i - 1], a) < num_different(grouped, groups[i - 1], b);
        });
        std::rotate(begin, next, next + 1);
    }
}

}  // namespace

BlendshapePlan::BlendshapePlan(const rig::BlendshapeRig& rig, Columns which)
    : num_shapes(rig.num_shapes()),
      num_columns(rig.num_columns()),
      num_vertices(rig.character().num_vertices()),
      neutral(rig.character().rest_vertices.begin(), rig.character().rest_vertices.end()) {
    for (std::int64_t n = 0; n < num_columns; ++n) scale.push_back(rig.grouped().scale(n));
    list_drivers(rig);
    find_places(rig.grouped());
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

void BlendshapePlan::find_places(const GroupedColumns& grouped) {
    place.resize(num_vertices);
    for (std::int64_t g = 0; g < grouped.first_group(grouped.num_windows()); ++g) {
        const GroupedColumns::Group group = grouped.group(g);
        for (std::int64_t i = 0; i < group.size; ++i) place[group.vertex[i]] = {g, i};
    }
}

/// In each window the vertices of the groups, similar groups after one another, then those that no column moves.
void BlendshapePlan::order_vertices(const GroupedColumns& grouped) {
    num_windows = (num_vertices + vertices_per_window - 1) / vertices_per_window;
    vertex.assign(num_windows * vertices_per_window, -1);
    for (std::int64_t w = 0; w < num_windows; ++w) {
        const std::int64_t first = w * vertices_per_window;
        const std::int64_t end = std::min(first + vertices_per_window, num_vertices);
        std::vector<std::int64_t> groups;
        for (std::int64_t v = first; v < end; ++v) {
            if (place[v].group >= 0) groups.push_back(place[v].group);
        }
        std::sort(groups.begin(), groups.end());
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        chain(grouped, groups);
        groups.push_back(-1);
        auto next = vertex.begin() + first;
        for (const std::int64_t group : groups) {
            for (std::int64_t v = first; v < end; ++v) {
                if (place[v].group == group) *next++ = static_cast<std::int32_t>(v);
            }
        }
    }
}

BlendshapePlan::ColumnsOfTiles BlendshapePlan::columns_of_tiles(const GroupedColumns& grouped, Columns which) const {
    const std::int64_t tiles = static_cast<std::int64_t>(vertex.size()) / vertices_per_tile;
    ColumnsOfTiles columns(tiles, std::vector<bool>(num_columns));
    for (std::size_t i = 0; i < vertex.size(); ++i) {
        if (vertex[i] < 0) continue;
        const std::int64_t group = place[vertex[i]].group;
        for (std::int64_t n = 0; n < num_columns; ++n) {
            if (which == Columns::all || (group >= 0 && moves(grouped.group(group), n))) {
                columns[i / vertices_per_tile][n] = true;
            }
        }
    }
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

void BlendshapePlan::copy_values(const GroupedColumns& grouped) {
    const std::size_t count = row_column.size() * values_per_row;
    values.resize(grouped.is_int16() ? 0 : count);
    int16_values.resize(grouped.is_int16() ? count : 0);
    for (std::size_t i = 0; i < vertex.size(); ++i) {
        if (vertex[i] < 0 || place[vertex[i]].group < 0) continue;
        const GroupedColumns::Group group = grouped.group(place[vertex[i]].group);
        const std::int64_t tile = static_cast<std::int64_t>(i) / vertices_per_tile;
        std::int64_t from = group.data + 3 * place[vertex[i]].index;
        for (std::int64_t row = tile_offset[tile]; row < tile_offset[tile + 1]; ++row) {
            if (!moves(group, row_column[row])) continue;
            for (std::int64_t axis = 0; axis < 3; ++axis) {
                const std::int64_t to = row * values_per_row + axis * vertices_per_tile +
                                        static_cast<std::int64_t>(i) % vertices_per_tile;
                if (grouped.is_int16()) {
                    int16_values[to] = grouped.int16_values()[from + axis];
                } else {
                    values[to] = grouped.float_values()[from + axis];
                }
            }
            from += 3 * group.size;
        }
    }
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
