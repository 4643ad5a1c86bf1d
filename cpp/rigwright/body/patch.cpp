#include "rigwright/body/patch.h"

#include <algorithm>
#include <numeric>

namespace rigwright::body {

Patch pack_patch(const PatchSource& source, int members, Packed& packed) {
    std::vector<int> order(members);
    std::iota(order.begin(), order.end(), 0);
    const auto late = std::stable_partition(order.begin(), order.end(), [&](int m) { return !source.late[m]; });

    Patch patch;
    patch.members = members;
    patch.early = static_cast<int>(late - order.begin());
    patch.components = static_cast<int>(source.basis.extent(1));
    patch.panels = packed.append(static_cast<std::size_t>(patch.num_panels()) * patch.panel_size());
    for (int place = 0; place < members; ++place) {
        const int m = order[place];
        float* out = packed.at(patch.panels) + place / Patch::panel * patch.panel_size() + place % Patch::panel;
        for (int axis = 0; axis < 3; ++axis, out += Patch::panel) *out = source.base[3 * m + axis];
        *out = source.weight[m];
        out += Patch::panel;
        for (int k = 0; k < patch.components; ++k) {
            for (int axis = 0; axis < 3; ++axis, out += Patch::panel) *out = source.basis(3 * m + axis, k);
        }
        patch.vertex.push_back(source.vertex[m]);
    }
    return patch;
}

void add_late(const Patch& patch, Rows<const float> late, Rows<float> vertices, int count) {
    for (int p = 0; p < count; ++p) {
        const float* from = late.row(p) + 3 * patch.late_begin;
        for (int m = patch.early; m < patch.members; ++m, from += 3) {
            float* to = vertices.row(p) + 3 * patch.vertex[m];
            for (int axis = 0; axis < 3; ++axis) to[axis] += from[axis];
        }
    }
}

}  // namespace rigwright::body
