#include <algorithm>

#include "body/patch.h"
#include "core/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "body/patch_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::body::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, Patch::panel>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

struct Point {
    V x, y, z;
};

/// Part of a panel: `lanes` members from the place `first` on.
struct Part {
    const float* heading;  // of its panel, at its first lane
    int first;             // place of its first member in the patch
    int filled;            // how many of its lanes are members
};

/// base + basis c in the joint's frame, for `Count` poses.
template <int Count>
HWY_INLINE void local_points(const Patch& patch, const Part& part, Rows<const float> coefficients,
                             Point (&point)[Count]) {
    const float* at = part.heading;
    for (int p = 0; p < Count; ++p) {
        point[p] = {hn::Load(d, at), hn::Load(d, at + Patch::panel), hn::Load(d, at + 2 * Patch::panel)};
    }
    at += Patch::heading;
    for (int k = 0; k < patch.components; ++k, at += 3 * Patch::panel) {
        const Point b{hn::Load(d, at), hn::Load(d, at + Patch::panel), hn::Load(d, at + 2 * Patch::panel)};
        for (int p = 0; p < Count; ++p) {
            const V c = hn::Set(d, coefficients.row(p)[k]);
            point[p] = {hn::MulAdd(b.x, c, point[p].x), hn::MulAdd(b.y, c, point[p].y), hn::MulAdd(b.z, c, point[p].z)};
        }
    }
}

/// weight (row of X . point + t).
HWY_INLINE V transformed(const float* row, const Point& p, V weight) {
    V sum = hn::MulAdd(hn::Set(d, row[0]), p.x, hn::Set(d, row[3]));
    sum = hn::MulAdd(hn::Set(d, row[1]), p.y, sum);
    sum = hn::MulAdd(hn::Set(d, row[2]), p.z, sum);
    return hn::Mul(weight, sum);
}

/// Writes the contributions of a part: early members to their vertices, late ones to their places in the list.
HWY_INLINE void scatter(const Patch& patch, const Part& part, const Point& world, float* vertices, float* late) {
    HWY_ALIGN float xyz[3 * lanes];
    hn::StoreInterleaved3(world.x, world.y, world.z, d, xyz);
    const int early = std::clamp(patch.early - part.first, 0, part.filled);
    for (int i = 0; i < early; ++i) std::copy_n(xyz + 3 * i, 3, vertices + 3 * patch.vertex[part.first + i]);
    if (early < part.filled) {
        float* out = late + 3 * (patch.late_begin + part.first + early - patch.early);
        std::copy_n(xyz + 3 * early, 3 * (part.filled - early), out);
    }
}

template <int Count>
HWY_INLINE void contributions(const Patch& patch, const Part& part, Rows<const float> coefficients,
                              Rows<const float> transforms, Rows<float> vertices, Rows<float> late) {
    Point point[Count];
    local_points(patch, part, coefficients, point);
    const V weight = hn::Load(d, part.heading + 3 * Patch::panel);
    for (int p = 0; p < Count; ++p) {
        const float* x = transforms.row(p);
        const Point world{transformed(x, point[p], weight), transformed(x + 4, point[p], weight),
                          transformed(x + 8, point[p], weight)};
        scatter(patch, part, world, vertices.row(p), late.row(p));
    }
}

/// Calls body(part) for all parts of the patch.
template <class Body>
HWY_INLINE void for_parts(const Patch& patch, const Packed& packed, Body&& body) {
    const float* heading = packed.at(patch.panels);
    for (int first = 0; first < patch.members; first += Patch::panel, heading += patch.panel_size()) {
        for (int lane = 0; lane < Patch::panel && first + lane < patch.members; lane += lanes) {
            body(Part{heading + lane, first + lane, std::min(lanes, patch.members - first - lane)});
        }
    }
}

template <class T>
HWY_INLINE Rows<T> from(Rows<T> rows, int first) {
    return {rows.row(first), rows.stride};
}

void evaluate(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
              Rows<float> vertices, Rows<float> late, int count) {
    constexpr int block = lanes == 16 ? 8 : 4;
    for_parts(patch, packed, [&](const Part& part) {
        int p = 0;
        for (; p + block <= count; p += block) {
            contributions<block>(patch, part, from(coefficients, p), from(transforms, p), from(vertices, p),
                                 from(late, p));
        }
        for (; p < count; ++p) {
            contributions<1>(patch, part, from(coefficients, p), from(transforms, p), from(vertices, p), from(late, p));
        }
    });
}

void vjp(const Patch&, const Packed&, Rows<const float>, Rows<const float>, Rows<const float>, Rows<float>, Rows<float>,
         int) {}

const PatchKernels* table() {
    static constexpr PatchKernels kernels{&evaluate, &vjp};
    return &kernels;
}

}  // namespace rigwright::body::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::body {

HWY_EXPORT(table);

const PatchKernels& patch_kernels() {
    static const PatchKernels& chosen = []() -> const PatchKernels& {
        instruction_set();
        return *HWY_DYNAMIC_DISPATCH(table)();
    }();
    return chosen;
}

}  // namespace rigwright::body
#endif
