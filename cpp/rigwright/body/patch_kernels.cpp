#include <algorithm>

#include "rigwright/body/patch.h"
#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/body/patch_kernels.cpp"  // compiled once for every instruction set
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

/// basis c alone: the derivative of local_points along c.
HWY_INLINE Point local_tangent(const Patch& patch, const Part& part, const float* coefficient_tangent) {
    Point point{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    const float* at = part.heading + Patch::heading;
    for (int k = 0; k < patch.components; ++k, at += 3 * Patch::panel) {
        const V c = hn::Set(d, coefficient_tangent[k]);
        point = {hn::MulAdd(hn::Load(d, at), c, point.x), hn::MulAdd(hn::Load(d, at + Patch::panel), c, point.y),
                 hn::MulAdd(hn::Load(d, at + 2 * Patch::panel), c, point.z)};
    }
    return point;
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
    HWY_ALIGN float x[lanes], y[lanes], z[lanes];
    hn::Store(world.x, d, x);
    hn::Store(world.y, d, y);
    hn::Store(world.z, d, z);
    const int early = std::clamp(patch.early - part.first, 0, part.filled);
    const std::int32_t* vertex = patch.vertex.data() + part.first;
    for (int i = 0; i < early; ++i) {
        float* out = vertices + 3 * vertex[i];
        out[0] = x[i];
        out[1] = y[i];
        out[2] = z[i];
    }
    const std::int64_t place = patch.late_begin + part.first - patch.early;
    for (int i = early; i < part.filled; ++i) {
        float* out = late + 3 * (place + i);
        out[0] = x[i];
        out[1] = y[i];
        out[2] = z[i];
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

void evaluate(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
              Rows<float> vertices, Rows<float> late, int count) {
    constexpr int block = 4;
    for_parts(patch, packed, [&](const Part& part) {
        int p = 0;
        for (; p + block <= count; p += block) {
            contributions<block>(patch, part, coefficients.from(p), transforms.from(p), vertices.from(p), late.from(p));
        }
        for (; p < count; ++p) {
            contributions<1>(patch, part, coefficients.from(p), transforms.from(p), vertices.from(p), late.from(p));
        }
    });
}

/// weight (row of X' . point + t' + row of X . point').
HWY_INLINE V transformed_tangent(const float* row, const float* row_tangent, const Point& p, const Point& tangent,
                                 V weight) {
    V sum = hn::MulAdd(hn::Set(d, row_tangent[0]), p.x, hn::Set(d, row_tangent[3]));
    sum = hn::MulAdd(hn::Set(d, row_tangent[1]), p.y, sum);
    sum = hn::MulAdd(hn::Set(d, row_tangent[2]), p.z, sum);
    sum = hn::MulAdd(hn::Set(d, row[0]), tangent.x, sum);
    sum = hn::MulAdd(hn::Set(d, row[1]), tangent.y, sum);
    sum = hn::MulAdd(hn::Set(d, row[2]), tangent.z, sum);
    return hn::Mul(weight, sum);
}

void jvp(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
         Rows<const float> coefficient_tangents, Rows<const float> transform_tangents, Rows<float> vertices,
         Rows<float> late, int count) {
    for_parts(patch, packed, [&](const Part& part) {
        const V weight = hn::Load(d, part.heading + 3 * Patch::panel);
        for (int p = 0; p < count; ++p) {
            Point point[1];
            local_points(patch, part, coefficients.from(p), point);
            const Point tangent = local_tangent(patch, part, coefficient_tangents.row(p));
            const float *x = transforms.row(p), *dx = transform_tangents.row(p);
            const Point world{transformed_tangent(x, dx, point[0], tangent, weight),
                              transformed_tangent(x + 4, dx + 4, point[0], tangent, weight),
                              transformed_tangent(x + 8, dx + 8, point[0], tangent, weight)};
            scatter(patch, part, world, vertices.row(p), late.row(p));
        }
    });
}

/// The cotangents of the members of a part; zero in the lanes left over.
HWY_INLINE Point gather(const Patch& patch, const Part& part, const float* cotangents) {
    HWY_ALIGN float xyz[3 * lanes] = {};
    for (int i = 0; i < part.filled; ++i) {
        std::copy_n(cotangents + 3 * patch.vertex[part.first + i], 3, xyz + 3 * i);
    }
    Point g;
    hn::LoadInterleaved3(d, xyz, g.x, g.y, g.z);
    return g;
}

/// With g the weighted cotangents of a part: transform_sum += g (point, 1)^T, entry by entry, and
/// coefficient_sum_k += basis_k . X^T g.
HWY_INLINE void part_vjp(const Patch& patch, const Part& part, const Rows<const float>& coefficients, const float* x,
                         const float* cotangents, V (&transform_sum)[12], float* coefficient_sum) {
    Point point[1];
    local_points(patch, part, coefficients, point);
    const V weight = hn::Load(d, part.heading + 3 * Patch::panel);
    Point g = gather(patch, part, cotangents);
    g = {hn::Mul(g.x, weight), hn::Mul(g.y, weight), hn::Mul(g.z, weight)};
    const V row[3] = {g.x, g.y, g.z};
    for (int i = 0; i < 3; ++i) {
        transform_sum[4 * i] = hn::MulAdd(row[i], point[0].x, transform_sum[4 * i]);
        transform_sum[4 * i + 1] = hn::MulAdd(row[i], point[0].y, transform_sum[4 * i + 1]);
        transform_sum[4 * i + 2] = hn::MulAdd(row[i], point[0].z, transform_sum[4 * i + 2]);
        transform_sum[4 * i + 3] = hn::Add(row[i], transform_sum[4 * i + 3]);
    }
    V local[3];  // X^T g
    for (int i = 0; i < 3; ++i) {
        local[i] = hn::Mul(hn::Set(d, x[i]), g.x);
        local[i] = hn::MulAdd(hn::Set(d, x[4 + i]), g.y, local[i]);
        local[i] = hn::MulAdd(hn::Set(d, x[8 + i]), g.z, local[i]);
    }
    const float* at = part.heading + Patch::heading;
    for (int k = 0; k < patch.components; ++k, at += 3 * Patch::panel, coefficient_sum += lanes) {
        V sum = hn::Load(d, coefficient_sum);
        sum = hn::MulAdd(hn::Load(d, at), local[0], sum);
        sum = hn::MulAdd(hn::Load(d, at + Patch::panel), local[1], sum);
        sum = hn::MulAdd(hn::Load(d, at + 2 * Patch::panel), local[2], sum);
        hn::Store(sum, d, coefficient_sum);
    }
}

void vjp(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
         Rows<const float> cotangents, Rows<float> coefficient_gradients, Rows<float> transform_gradients, float* work,
         int count) {
    for (int p = 0; p < count; ++p) {
        V transform_sum[12];
        for (V& sum : transform_sum) sum = hn::Zero(d);
        std::fill_n(work, patch.components * lanes, 0.0f);
        for_parts(patch, packed, [&](const Part& part) {
            part_vjp(patch, part, coefficients.from(p), transforms.row(p), cotangents.row(p), transform_sum, work);
        });
        for (int e = 0; e < 12; ++e) {
            transform_gradients.row(p)[e] = hn::GetLane(hn::SumOfLanes(d, transform_sum[e]));
        }
        std::fill_n(coefficient_gradients.row(p), patch.padded_components(), 0.0f);
        for (int k = 0; k < patch.components; ++k) {
            coefficient_gradients.row(p)[k] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, work + k * lanes)));
        }
    }
}

const PatchKernels* table() {
    static constexpr PatchKernels kernels{&evaluate, &vjp, &jvp};
    return &kernels;
}

}  // namespace rigwright::body::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::body {

HWY_EXPORT(table);

RIGWRIGHT_KERNEL_TABLE(PatchKernels, patch_kernels, table)

}  // namespace rigwright::body
#endif
