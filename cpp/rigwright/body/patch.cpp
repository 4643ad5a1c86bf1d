#include "rigwright/body/patch.h"

#include <algorithm>
#include <numeric>

namespace rigwright::body {

Patch pack_patch(const PatchSource& source, int members, Packed& packed) {
    std::vector<int> order(members);
    std::iota(order.begin(), order.end(), 0);
    const auto added = std::stable_partition(order.begin(), order.end(), [&](int m) { return !source.is_added[m]; });

    Patch patch;
    patch.members = members;
    patch.num_stored = static_cast<int>(added - order.begin());
    patch.components = static_cast<int>(source.basis.extent(1));
    patch.tiles = packed.append(static_cast<std::size_t>(patch.num_tiles()) * patch.floats_per_tile());
    for (int i = 0; i < members; ++i) {
        const int m = order[i];
        float* out = packed.at(patch.tiles) + i / Patch::vertices_per_tile * patch.floats_per_tile() +
                     i % Patch::vertices_per_tile;
        for (int axis = 0; axis < 3; ++axis, out += Patch::vertices_per_tile) *out = source.base[3 * m + axis];
        *out = source.weight[m];
        out += Patch::vertices_per_tile;
        for (int k = 0; k < patch.components; ++k) {
            for (int axis = 0; axis < 3; ++axis, out += Patch::vertices_per_tile) *out = source.basis(3 * m + axis, k);
        }
        patch.vertex.push_back(source.vertex[m]);
    }
    return patch;
}

void add_contributions(const Patch& patch, Rows<const float> added, Rows<float> vertices, int num_frames) {
    for (int p = 0; p < num_frames; ++p) {
        const float* from = added.row(p) + 3 * patch.added_begin;
        for (int m = patch.num_stored; m < patch.members; ++m, from += 3) {
            float* to = vertices.row(p) + 3 * patch.vertex[m];
            for (int axis = 0; axis < 3; ++axis) to[axis] += from[axis];
        }
    }
}

}  // namespace rigwright::body
