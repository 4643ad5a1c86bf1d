#pragma once
#include <bit>
#include <cstdint>

#include "rigcast/rig/blendshapes/grouped_columns.h"

namespace rigcast::rig {

/// Calls visit(n, vertex, offset) for each stored offset of a column n, three coordinates that may all be zero: group
/// by group, within a group in ascending order of columns. One pass over the values, where GroupedColumns::column reads
/// the lists of all groups once per column.
template <class F>
void for_stored_offsets(const GroupedColumns& columns, F&& visit) {
    for (std::int64_t g = 0; g < columns.first_group(columns.num_windows()); ++g) {
        const GroupedColumns::Group group = columns.group(g);
        std::int64_t at = group.data;
        for (std::int64_t w = 0; w < columns.num_words(); ++w) {
            for (auto rest = static_cast<std::uint32_t>(group.columns[w]); rest != 0; rest &= rest - 1) {
                const std::int64_t n = 32 * w + std::countr_zero(rest);
                for (std::int64_t i = 0; i < group.size; ++i, at += 3) {
                    float offset[3];
                    for (int axis = 0; axis < 3; ++axis) {
                        offset[axis] = columns.is_int16()
                                           ? static_cast<float>(columns.int16_values()[at + axis]) * columns.scale(n)
                                           : columns.float_values()[at + axis];
                    }
                    visit(n, group.vertex[i], offset);
                }
            }
        }
    }
}

}  // namespace rigcast::rig
