// The lanes of a patch: vertices of a tile side by side in a vector. Included once per instruction set, so it has
// Highway's guard, not an ordinary one.
#if defined(RIGCAST_BODY_PATCH_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGCAST_BODY_PATCH_LANES_INL_H
#undef RIGCAST_BODY_PATCH_LANES_INL_H
#else
#define RIGCAST_BODY_PATCH_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "rigcast/body/patch/patch.h"

HWY_BEFORE_NAMESPACE();
namespace rigcast::body::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, Patch::vertices_per_tile>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

struct Point {
    V x;
    V y;
    V z;

    // Not left to the compiler, whose constructors lack the instruction set of this namespace.
    HWY_INLINE Point() {}
    HWY_INLINE Point(V first, V second, V third) : x(first), y(second), z(third) {}
};

/// Loads numbers of the basis of any storage as float32.
HWY_INLINE V load(const float* basis) {
    return hn::Load(d, basis);
}
template <class Stored>
HWY_INLINE V load(const Stored* basis) {
    return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<D>(), hn::Load(hn::Rebind<Stored, D>(), basis)));
}
template <class Stored>
HWY_INLINE Point load_point(const Stored* basis) {
    return {load(basis), load(basis + Patch::vertices_per_tile), load(basis + 2 * Patch::vertices_per_tile)};
}

/// The members of a tile that one vector holds.
template <class Stored>
struct LaneGroup {
    const float* head;    // of the tile, at the group's first lane
    const Stored* basis;  // likewise
    const float* scale;   // of each coefficient, for whole numbers
    int first;            // index of its first member in the patch
    int filled;           // members in its lanes; the other lanes are padding

    /// x times the scale of coefficient k. The scale is a power of two, so this is as exact as scaling the basis.
    HWY_INLINE V scaled(float x, int k) const {
        if constexpr (std::is_integral_v<Stored>) return hn::Set(d, x * scale[k]);
        return hn::Set(d, x);
    }
    HWY_INLINE V scaled(V x, int k) const {
        if constexpr (std::is_integral_v<Stored>) return hn::Mul(x, hn::Set(d, scale[k]));
        return x;
    }
};

/// base + basis c, in the joint's coordinates, for `Frames` frames of `Groups` groups.
template <int Groups, int Frames, class Stored>
HWY_INLINE void local_points(const Patch& patch, const LaneGroup<Stored> (&groups)[Groups],
                             Rows<const float> coefficients, Point (&point)[Groups][Frames]) {
    for (int g = 0; g < Groups; ++g) {
        for (int p = 0; p < Frames; ++p) point[g][p] = load_point(groups[g].head);
    }
    std::ptrdiff_t at = 0;
    for (int k = 0; k < patch.components; ++k, at += 3 * Patch::vertices_per_tile) {
        for (int g = 0; g < Groups; ++g) {
            const Point b = load_point(groups[g].basis + at);
            for (int p = 0; p < Frames; ++p) {
                const V c = groups[g].scaled(coefficients.row(p)[k], k);
                Point& to = point[g][p];
                to = {hn::MulAdd(b.x, c, to.x), hn::MulAdd(b.y, c, to.y), hn::MulAdd(b.z, c, to.z)};
            }
        }
    }
}
template <class Stored>
HWY_INLINE Point local_point(const Patch& patch, const LaneGroup<Stored>& group, Rows<const float> coefficients) {
    Point point[1][1];
    local_points(patch, {group}, coefficients, point);
    return point[0][0];
}

/// weight * (X_row . point + t_row).
HWY_INLINE V transformed(const float* row, const Point& p, V weight) {
    V sum = hn::MulAdd(hn::Set(d, row[0]), p.x, hn::Set(d, row[3]));
    sum = hn::MulAdd(hn::Set(d, row[1]), p.y, sum);
    sum = hn::MulAdd(hn::Set(d, row[2]), p.z, sum);
    return hn::Mul(weight, sum);
}

/// Writes the contributions of a group: stored ones to their vertices, added ones to the list.
template <class Stored>
HWY_INLINE void scatter(const Patch& patch, const LaneGroup<Stored>& group, const Point& world, float* vertices,
                        float* added) {
    HWY_ALIGN float x[lanes];
    HWY_ALIGN float y[lanes];
    HWY_ALIGN float z[lanes];
    hn::Store(world.x, d, x);
    hn::Store(world.y, d, y);
    hn::Store(world.z, d, z);
    const int stored = std::clamp(patch.num_stored - group.first, 0, group.filled);
    const std::int32_t* vertex = patch.vertex.data() + group.first;
    for (int i = 0; i < stored; ++i) {
        float* out = vertices + 3 * vertex[i];
        out[0] = x[i];
        out[1] = y[i];
        out[2] = z[i];
    }
    const std::int64_t first_added = patch.added_begin + group.first - patch.num_stored;
    for (int i = stored; i < group.filled; ++i) {
        float* out = added + 3 * (first_added + i);
        out[0] = x[i];
        out[1] = y[i];
        out[2] = z[i];
    }
}

HWY_INLINE int num_lane_groups(const Patch& patch) {
    return (patch.members + lanes - 1) / lanes;
}

template <class Stored>
HWY_INLINE LaneGroup<Stored> lane_group(const Patch& patch, const Packed& packed, int index) {
    constexpr int groups_per_tile = Patch::vertices_per_tile / lanes;
    const std::byte* tile = patch.tile(packed, index / groups_per_tile);
    const float* head = reinterpret_cast<const float*>(tile);
    const Stored* basis = reinterpret_cast<const Stored*>(tile + patch.bytes_before_basis());
    const int lane = index % groups_per_tile * lanes;
    const int first = index * lanes;
    return {head + lane, basis + lane, head + Patch::floats_per_head, first, std::min(lanes, patch.members - first)};
}

/// Calls body(group) for all lane groups of a patch whose basis is stored as `Stored`.
template <class Stored, class Body>
HWY_INLINE void for_lane_groups_of(const Patch& patch, const Packed& packed, const Body& body) {
    const int count = num_lane_groups(patch);
    for (int i = 0; i < count; ++i) body(lane_group<Stored>(patch, packed, i));
}

/// The same for a basis of any storage.
template <class Body>
HWY_INLINE void for_lane_groups(const Patch& patch, const Packed& packed, const Body& body) {
    if (patch.storage == Storage::int16) return for_lane_groups_of<std::int16_t>(patch, packed, body);
    if (patch.storage == Storage::int8) return for_lane_groups_of<std::int8_t>(patch, packed, body);
    for_lane_groups_of<float>(patch, packed, body);
}

}  // namespace rigcast::body::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
