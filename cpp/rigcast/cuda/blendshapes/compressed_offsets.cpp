#include "rigcast/cuda/blendshapes/compressed_offsets.h"

#include <limits>
#include <string>

#include "rigcast/core/error.h"

namespace rigcast::cuda {
namespace {

using rig::GroupedColumns;

/// The columns of a group, in the order of its rows of values.
std::vector<std::int32_t> columns_of(const GroupedColumns::Group& group, std::int64_t num_columns) {
    std::vector<std::int32_t> columns;
    for (std::int64_t n = 0; n < num_columns; ++n) {
        if ((static_cast<std::uint32_t>(group.columns[n / 32]) >> (n % 32) & 1) != 0) {
            columns.push_back(static_cast<std::int32_t>(n));
        }
    }
    return columns;
}

/// The group of each vertex and its place there; group -1 if no column moves it.
struct Places {
    explicit Places(const rig::BlendshapeRig& rig) : group(rig.character().num_vertices(), -1), place(group.size()) {
        const GroupedColumns& grouped = rig.grouped();
        for (std::int64_t g = 0; g < grouped.first_group(grouped.num_windows()); ++g) {
            const GroupedColumns::Group found = grouped.group(g);
            for (std::int64_t i = 0; i < found.size; ++i) {
                group[found.vertex[i]] = g;
                place[found.vertex[i]] = i;
            }
        }
    }
    std::vector<std::int64_t> group;
    std::vector<std::int64_t> place;
};

void add_entry(std::int64_t column, float value, CompressedRows& matrix) {
    if (value == 0.0f) return;
    matrix.column.push_back(static_cast<std::int32_t>(column));
    matrix.value.push_back(value);
}

}  // namespace

CompressedRows compressed_offsets(const rig::BlendshapeRig& rig) {
    const GroupedColumns& grouped = rig.grouped();
    const std::int64_t num_columns = rig.num_columns();
    const std::int64_t num_vertices = rig.character().num_vertices();
    if (3 * (grouped.num_entries() + num_vertices) > std::numeric_limits<std::int32_t>::max()) {
        throw bad_argument("resident", "libraries",
                           "chosen for a rig of " + std::to_string(grouped.num_entries()) + " offsets",
                           "left out: cuSPARSE's product has 32-bit indices");
    }
    const Places places(rig);
    std::vector<std::vector<std::int32_t>> columns;
    for (std::int64_t g = 0; g < grouped.first_group(grouped.num_windows()); ++g) {
        columns.push_back(columns_of(grouped.group(g), num_columns));
    }
    const float* neutral = rig.character().rest_vertices.data();
    CompressedRows matrix;
    matrix.num_columns = num_columns + 1;
    for (std::int64_t row = 0; row < 3 * num_vertices; ++row) {
        const std::int64_t g = places.group[row / 3];
        if (g >= 0) {
            const GroupedColumns::Group group = grouped.group(g);
            std::int64_t from = group.data + 3 * places.place[row / 3] + row % 3;
            for (const std::int32_t n : columns[g]) {
                add_entry(n, grouped.is_int16() ? grouped.int16_values()[from] : grouped.float_values()[from], matrix);
                from += 3 * group.size;
            }
        }
        add_entry(num_columns, neutral[row], matrix);
        matrix.start.push_back(static_cast<std::int32_t>(matrix.value.size()));
    }
    return matrix;
}

}  // namespace rigcast::cuda
