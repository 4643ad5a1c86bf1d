#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/network/dense.h"
#include "rigwright/network/packed.h"

namespace rigwright::body {

using network::Packed;
using network::Rows;

/// The vertices that one joint carries, with what their offsets are made of:
///   contribution_k = a_k (X (base_k + basis_k c) + t),
/// base = rest + mean in the joint's frame, c the coefficients. Vertices come in panels of 16; a panel is, for
/// the kernels, 16 x, y and z of the base, 16 weights a, then for each coefficient 16 x, y and z of the basis.
///
/// A vertex may lie in several sets. The first one stores its contribution at the vertex; the others leave
/// theirs in a list of late contributions, added afterwards in the order of the sets. So sets may be evaluated
/// in any order, at once, and the sum is the same to the last bit.
struct Patch {
    static constexpr int panel = 16;
    static constexpr int heading = 4 * panel;  // floats of a panel before its basis

    int members = 0;
    int early = 0;                     // members before this one store, the rest are late
    int components = 0;                // coefficients r
    std::size_t panels = 0;            // offset into the Packed
    std::vector<std::int32_t> vertex;  // of each member
    std::int64_t late_begin = 0;       // place of the first late member in the list of late contributions

    int num_panels() const { return (members + panel - 1) / panel; }
    int padded_components() const { return (components + panel - 1) / panel * panel; }
    std::int64_t panel_size() const { return heading + 3 * panel * static_cast<std::int64_t>(components); }

    /// Where the numbers of a member begin: x of its base; y, z, its weight a, then x, y and z of each basis vector
    /// follow, `panel` floats apart.
    const float* member(const Packed& packed, int index) const {
        return packed.at(panels) + index / panel * panel_size() + index % panel;
    }
};

/// What a patch is made of, in any order of its M members.
struct PatchSource {
    const std::int32_t* vertex;  // M
    const float* weight;         // M
    const bool* late;            // M
    const float* base;           // (M, 3)
    View<const float, 2> basis;  // (3 M, r)
};
Patch pack_patch(const PatchSource& source, int members, Packed& packed);

/// Adds the late contributions to the vertices (3 V a row).
void add_late(const Patch& patch, Rows<const float> late, Rows<float> vertices, int count);

/// The operations of a patch, for the instruction set in use, on `count` poses. The result for a pose does not
/// depend on the poses beside it.
struct PatchKernels {
    /// Contributions of coefficients (r a row) and global transforms of the joint (12 a row): early ones to
    /// `vertices` (3 V a row), late ones to `late`.
    void (*evaluate)(const Patch& patch, const Packed& packed, Rows<const float> coefficients,
                     Rows<const float> transforms, Rows<float> vertices, Rows<float> late, int count);
    /// The reverse: from gradients with respect to the vertices (3 V a row) to those with respect to the
    /// coefficients (padded_components() a row, zero beyond r) and the transforms (12 a row). `work` is room for
    /// 16 r floats, aligned to a cache line.
    void (*vjp)(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
                Rows<const float> cotangents, Rows<float> coefficient_gradients, Rows<float> transform_gradients,
                float* work, int count);
    /// The derivative of `evaluate` along coefficient and transform tangents.
    void (*jvp)(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
                Rows<const float> coefficient_tangents, Rows<const float> transform_tangents, Rows<float> vertices,
                Rows<float> late, int count);
};
const PatchKernels& patch_kernels();

}  // namespace rigwright::body
