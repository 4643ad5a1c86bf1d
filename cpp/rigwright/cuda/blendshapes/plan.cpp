#include "rigwright/cuda/blendshapes/plan.h"

#include <algorithm>
#include <numeric>

#include "rigwright/cuda/products/blendshape_product.h"

namespace rigwright::cuda {
namespace {

using rig::GroupedColumns;

/// Calls body(group, first place of its members in the order of the groups).
template <class Body>
void for_groups(const GroupedColumns& grouped, const Body& body) {
    std::int64_t place = 0;
    for (std::int64_t g = 0; g < grouped.first_group(grouped.num_windows()); ++g) {
        const GroupedColumns::Group group = grouped.group(g);
        body(group, place);
        place += group.size;
    }
}

bool moves(const GroupedColumns::Group& group, std::int64_t n) {
    return (static_cast<std::uint32_t>(group.columns[n / 32]) >> (n % 32) & 1) != 0;
}

}  // namespace

BlendshapePlan::BlendshapePlan(const rig::BlendshapeRig& rig, Columns which)
    : num_shapes(rig.num_shapes()), num_columns(rig.num_columns()), num_vertices(rig.character().num_vertices()) {
    constexpr std::int64_t members = BlendshapeProduct<float>::members;
    const GroupedColumns& grouped = rig.grouped();
    const auto rest = rig.character().rest_vertices;
    neutral.assign(rest.begin(), rest.end());
    for (std::int64_t n = 0; n < num_columns; ++n) scale.push_back(grouped.scale(n));
    read_factors(rig);

    const std::int64_t tiles = (num_vertices + members - 1) / members;
    vertex.assign(tiles * members, -1);
    // Row of each column in each tile; -2: the tile does without.
    std::vector<std::vector<std::int32_t>> row_of(
        tiles, std::vector<std::int32_t>(num_columns, which == Columns::all ? -1 : -2));
    for_groups(grouped, [&](const GroupedColumns::Group& group, std::int64_t place) {
        for (std::int64_t m = 0; m < group.size; ++m) {
            vertex[place + m] = group.vertex[m];
            for (std::int64_t n = 0; n < num_columns; ++n) {
                if (moves(group, n)) row_of[(place + m) / members][n] = -1;
            }
        }
    });
    std::int64_t place = grouped.num_moved();
    for (std::int64_t w = 0; w < grouped.num_windows(); ++w) {
        for (const GroupedColumns::VertexRange& run : grouped.unmoved(w)) {
            for (std::int32_t v = run.first; v < run.first + run.count; ++v) vertex[place++] = v;
        }
    }
    tile_offset.push_back(0);
    for (auto& tile : row_of) {
        for (std::int64_t n = 0; n < num_columns; ++n) {
            if (tile[n] == -2) continue;
            tile[n] = static_cast<std::int32_t>(row_column.size());
            row_column.push_back(static_cast<std::int32_t>(n));
        }
        tile_offset.push_back(static_cast<std::int32_t>(row_column.size()));
    }
    read_numbers(grouped, row_of);
}

void BlendshapePlan::read_factors(const rig::BlendshapeRig& rig) {
    factor_offset.push_back(0);
    for (std::int64_t c = 0; c < num_columns - num_shapes; ++c) {
        for (const rig::Driver& factor : rig.drivers(c)) {
            factor_shape.push_back(factor.shape);
            factor_tent.insert(factor_tent.end(), {factor.tent.x1, factor.tent.x2, factor.tent.x3});
        }
        factor_offset.push_back(static_cast<std::int32_t>(factor_shape.size()));
    }
}

void BlendshapePlan::read_numbers(const GroupedColumns& grouped, const std::vector<std::vector<std::int32_t>>& row_of) {
    constexpr std::int64_t members = BlendshapeProduct<float>::members, width = BlendshapeProduct<float>::width;
    const std::size_t count = row_column.size() * width;
    numbers.resize(grouped.is_int16() ? 0 : count);
    half_numbers.resize(grouped.is_int16() ? count : 0);
    for_groups(grouped, [&](const GroupedColumns::Group& group, std::int64_t place) {
        std::int64_t from = group.data;
        for (std::int64_t n = 0; n < num_columns; ++n) {
            if (!moves(group, n)) continue;
            for (std::int64_t m = place; m < place + group.size; ++m, from += 3) {
                const std::int64_t to = row_of[m / members][n] * width + m % members * 3;
                if (grouped.is_int16()) {
                    std::copy_n(grouped.int16_values() + from, 3, half_numbers.begin() + to);
                } else {
                    std::copy_n(grouped.float_values() + from, 3, numbers.begin() + to);
                }
            }
        }
    });
}

BlendshapePlan::Order BlendshapePlan::ordered(const std::vector<std::int32_t>& order) const {
    Order result;
    result.shape_rank.resize(num_shapes);
    for (std::int64_t k = 0; k < num_shapes; ++k) result.shape_rank[order[k]] = static_cast<std::int32_t>(k);
    std::vector<std::int32_t> column_rank(result.shape_rank);
    for (std::int64_t c = 0; c < num_columns - num_shapes; ++c) {
        std::int32_t last = 0;
        for (std::int32_t f = factor_offset[c]; f < factor_offset[c + 1]; ++f) {
            last = std::max(last, result.shape_rank[factor_shape[f]]);
        }
        column_rank.push_back(last);
    }
    result.row.resize(row_column.size());
    std::iota(result.row.begin(), result.row.end(), 0);
    for (std::int64_t tile = 0; tile < num_tiles(); ++tile) {
        std::stable_sort(
            result.row.begin() + tile_offset[tile], result.row.begin() + tile_offset[tile + 1],
            [&](std::int32_t a, std::int32_t b) { return column_rank[row_column[a]] < column_rank[row_column[b]]; });
    }
    for (const std::int32_t row : result.row) {
        result.column.push_back(row_column[row]);
        result.rank.push_back(column_rank[row_column[row]]);
    }
    return result;
}

}  // namespace rigwright::cuda
