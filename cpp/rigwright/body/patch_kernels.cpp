#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "rigwright/body/patch.h"
#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/body/patch_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::body::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, Patch::vertices_per_tile>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

struct Point {
    V x;
    V y;
    V z;
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

/// base + basis c, in the joint's coordinates, for `Frames` frames.
template <int Frames, class Stored>
HWY_INLINE void local_points(const Patch& patch, const LaneGroup<Stored>& group, Rows<const float> coefficients,
                             Point (&point)[Frames]) {
    for (int p = 0; p < Frames; ++p) point[p] = load_point(group.head);
    const Stored* at = group.basis;
    for (int k = 0; k < patch.components; ++k, at += 3 * Patch::vertices_per_tile) {
        const Point b = load_point(at);
        for (int p = 0; p < Frames; ++p) {
            const V c = group.scaled(coefficients.row(p)[k], k);
            point[p] = {hn::MulAdd(b.x, c, point[p].x), hn::MulAdd(b.y, c, point[p].y), hn::MulAdd(b.z, c, point[p].z)};
        }
    }
}

/// basis c: the derivative of local_points along c.
template <class Stored>
HWY_INLINE Point local_tangent(const Patch& patch, const LaneGroup<Stored>& group, const float* coefficient_tangent) {
    Point point{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    const Stored* at = group.basis;
    for (int k = 0; k < patch.components; ++k, at += 3 * Patch::vertices_per_tile) {
        const Point b = load_point(at);
        const V c = group.scaled(coefficient_tangent[k], k);
        point = {hn::MulAdd(b.x, c, point.x), hn::MulAdd(b.y, c, point.y), hn::MulAdd(b.z, c, point.z)};
    }
    return point;
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

template <int Frames, class Stored>
HWY_INLINE void contributions(const Patch& patch, const LaneGroup<Stored>& group, Rows<const float> coefficients,
                              Rows<const float> transforms, Rows<float> vertices, Rows<float> added) {
    Point point[Frames];
    local_points(patch, group, coefficients, point);
    const V weight = hn::Load(d, group.head + 3 * Patch::vertices_per_tile);
    for (int p = 0; p < Frames; ++p) {
        const float* x = transforms.row(p);
        const Point world{transformed(x, point[p], weight), transformed(x + 4, point[p], weight),
                          transformed(x + 8, point[p], weight)};
        scatter(patch, group, world, vertices.row(p), added.row(p));
    }
}

/// Calls body(group) for all lane groups of a patch whose basis is stored as `Stored`.
template <class Stored, class Body>
HWY_INLINE void for_lane_groups_of(const Patch& patch, const Packed& packed, const Body& body) {
    const std::byte* tile = patch.tile(packed, 0);
    for (int first = 0; first < patch.members; first += Patch::vertices_per_tile, tile += patch.bytes_per_tile()) {
        const float* head = reinterpret_cast<const float*>(tile);
        const Stored* basis = reinterpret_cast<const Stored*>(tile + patch.bytes_before_basis());
        for (int lane = 0; lane < Patch::vertices_per_tile && first + lane < patch.members; lane += lanes) {
            body(LaneGroup<Stored>{head + lane, basis + lane, head + Patch::floats_per_head, first + lane,
                                   std::min(lanes, patch.members - first - lane)});
        }
    }
}

/// The same for a basis of any storage.
template <class Body>
HWY_INLINE void for_lane_groups(const Patch& patch, const Packed& packed, const Body& body) {
    if (patch.storage == Storage::int16) return for_lane_groups_of<std::int16_t>(patch, packed, body);
    if (patch.storage == Storage::int8) return for_lane_groups_of<std::int8_t>(patch, packed, body);
    for_lane_groups_of<float>(patch, packed, body);
}

void evaluate(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
              Rows<float> vertices, Rows<float> added, int num_frames) {
    constexpr int frames_per_tile = 4;  // 12 vectors of sums and 3 of the basis fit 16 registers
    for_lane_groups(patch, packed, [&](const auto& group) {
        int p = 0;
        for (; p + frames_per_tile <= num_frames; p += frames_per_tile) {
            contributions<frames_per_tile>(patch, group, coefficients.from(p), transforms.from(p), vertices.from(p),
                                           added.from(p));
        }
        for (; p < num_frames; ++p) {
            contributions<1>(patch, group, coefficients.from(p), transforms.from(p), vertices.from(p), added.from(p));
        }
    });
}

/// weight * (X'_row . point + t'_row + X_row . point'), where ' marks tangents.
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
         Rows<float> added, int num_frames) {
    for_lane_groups(patch, packed, [&](const auto& group) {
        const V weight = hn::Load(d, group.head + 3 * Patch::vertices_per_tile);
        for (int p = 0; p < num_frames; ++p) {
            Point point[1];
            local_points(patch, group, coefficients.from(p), point);
            const Point tangent = local_tangent(patch, group, coefficient_tangents.row(p));
            const float* x = transforms.row(p);
            const float* dx = transform_tangents.row(p);
            const Point world{transformed_tangent(x, dx, point[0], tangent, weight),
                              transformed_tangent(x + 4, dx + 4, point[0], tangent, weight),
                              transformed_tangent(x + 8, dx + 8, point[0], tangent, weight)};
            scatter(patch, group, world, vertices.row(p), added.row(p));
        }
    });
}

/// The cotangents of a group's members; zero in padding lanes.
template <class Stored>
HWY_INLINE Point gather(const Patch& patch, const LaneGroup<Stored>& group, const float* cotangents) {
    HWY_ALIGN float xyz[3 * lanes] = {};
    for (int i = 0; i < group.filled; ++i) {
        std::copy_n(cotangents + 3 * patch.vertex[group.first + i], 3, xyz + 3 * i);
    }
    Point g;
    hn::LoadInterleaved3(d, xyz, g.x, g.y, g.z);
    return g;
}

/// Adds a group's gradients, lane by lane: with weighted cotangents g, transform_sum += g (point, 1)^T and
/// coefficient_sum_k += basis_k . X^T g.
template <class Stored>
HWY_INLINE void lane_group_vjp(const Patch& patch, const LaneGroup<Stored>& group,
                               const Rows<const float>& coefficients, const float* x, const float* cotangents,
                               V (&transform_sum)[12], float* coefficient_sum) {
    Point point[1];
    local_points(patch, group, coefficients, point);
    const V weight = hn::Load(d, group.head + 3 * Patch::vertices_per_tile);
    Point g = gather(patch, group, cotangents);
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
    const Stored* at = group.basis;
    for (int k = 0; k < patch.components; ++k, at += 3 * Patch::vertices_per_tile, coefficient_sum += lanes) {
        const Point b = load_point(at);
        V sum = hn::Load(d, coefficient_sum);
        sum = hn::MulAdd(b.x, group.scaled(local[0], k), sum);
        sum = hn::MulAdd(b.y, group.scaled(local[1], k), sum);
        sum = hn::MulAdd(b.z, group.scaled(local[2], k), sum);
        hn::Store(sum, d, coefficient_sum);
    }
}

void vjp(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
         Rows<const float> cotangents, Rows<float> coefficient_gradients, Rows<float> transform_gradients, float* work,
         int num_frames) {
    for (int p = 0; p < num_frames; ++p) {
        V transform_sum[12];
        for (V& sum : transform_sum) sum = hn::Zero(d);
        std::fill_n(work, patch.components * lanes, 0.0f);
        for_lane_groups(patch, packed, [&](const auto& group) {
            lane_group_vjp(patch, group, coefficients.from(p), transforms.row(p), cotangents.row(p), transform_sum,
                           work);
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
