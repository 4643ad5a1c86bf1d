#include "rigcast/body/patch/patch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "rigcast/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/body/patch/patch.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rigcast/body/patch/patch_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigcast::body::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int Frames, int Groups, class Stored>
HWY_INLINE void contributions(const Patch& patch, const LaneGroup<Stored> (&groups)[Groups],
                              Rows<const float> coefficients, Rows<const float> transforms, Rows<float> vertices,
                              Rows<float> added) {
    Point point[Groups][Frames];
    local_points(patch, groups, coefficients, point);
    for (int g = 0; g < Groups; ++g) {
        const V weight = hn::Load(d, groups[g].head + 3 * Patch::vertices_per_tile);
        for (int p = 0; p < Frames; ++p) {
            const float* x = transforms.row(p);
            const Point& local = point[g][p];
            const Point world{transformed(x, local, weight), transformed(x + 4, local, weight),
                              transformed(x + 8, local, weight)};
            scatter(patch, groups[g], world, vertices.row(p), added.row(p));
        }
    }
}

/// Evaluates `Groups` groups. A single frame has three sums per group, each of which waits for its last addition:
/// several groups side by side fill that time.
template <int Groups, class Stored>
HWY_INLINE void evaluate_groups(const Patch& patch, const LaneGroup<Stored> (&groups)[Groups],
                                Rows<const float> coefficients, Rows<const float> transforms, Rows<float> vertices,
                                Rows<float> added, int num_frames) {
    constexpr int frames_at_once = 4;  // 12 vectors of sums and 3 of the basis fit 16 registers
    int p = 0;
    for (; p + frames_at_once <= num_frames; p += frames_at_once) {
        for (const LaneGroup<Stored>& group : groups) {
            contributions<frames_at_once>(patch, {group}, coefficients.from(p), transforms.from(p), vertices.from(p),
                                          added.from(p));
        }
    }
    for (; p < num_frames; ++p) {
        contributions<1>(patch, groups, coefficients.from(p), transforms.from(p), vertices.from(p), added.from(p));
    }
}

template <class Stored>
HWY_INLINE void evaluate_stored(const Patch& patch, const Packed& packed, Rows<const float> coefficients,
                                Rows<const float> transforms, Rows<float> vertices, Rows<float> added, int num_frames) {
    const auto group = [&](int i) { return lane_group<Stored>(patch, packed, i); };
    const int count = num_lane_groups(patch);
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        evaluate_groups<4, Stored>(patch, {group(i), group(i + 1), group(i + 2), group(i + 3)}, coefficients,
                                   transforms, vertices, added, num_frames);
    }
    for (; i < count; ++i) {
        evaluate_groups<1, Stored>(patch, {group(i)}, coefficients, transforms, vertices, added, num_frames);
    }
}

void evaluate(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
              Rows<float> vertices, Rows<float> added, int num_frames) {
    const auto with = [&](auto stored) {
        evaluate_stored<decltype(stored)>(patch, packed, coefficients, transforms, vertices, added, num_frames);
    };
    if (patch.storage == Storage::int16) return with(std::int16_t{});
    if (patch.storage == Storage::int8) return with(std::int8_t{});
    with(float{});
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
            const Point point = local_point(patch, group, coefficients.from(p));
            const Point tangent = local_tangent(patch, group, coefficient_tangents.row(p));
            const float* x = transforms.row(p);
            const float* dx = transform_tangents.row(p);
            const Point world{transformed_tangent(x, dx, point, tangent, weight),
                              transformed_tangent(x + 4, dx + 4, point, tangent, weight),
                              transformed_tangent(x + 8, dx + 8, point, tangent, weight)};
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
    const Point point = local_point(patch, group, coefficients);
    const V weight = hn::Load(d, group.head + 3 * Patch::vertices_per_tile);
    Point g = gather(patch, group, cotangents);
    g = {hn::Mul(g.x, weight), hn::Mul(g.y, weight), hn::Mul(g.z, weight)};
    const V row[3] = {g.x, g.y, g.z};
    for (int i = 0; i < 3; ++i) {
        transform_sum[4 * i] = hn::MulAdd(row[i], point.x, transform_sum[4 * i]);
        transform_sum[4 * i + 1] = hn::MulAdd(row[i], point.y, transform_sum[4 * i + 1]);
        transform_sum[4 * i + 2] = hn::MulAdd(row[i], point.z, transform_sum[4 * i + 2]);
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

}  // namespace rigcast::body::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::body {

RIGCAST_EXPORT(table);

RIGCAST_KERNEL_TABLE(PatchKernels, patch_kernels, table)

namespace {

constexpr int numbers_per_block = 3 * Patch::vertices_per_tile;  // of the basis, per tile and coefficient

/// Writes base and weight of a member.
void pack_head(const PatchSource& source, int m, float* out) {
    for (int axis = 0; axis < 3; ++axis, out += Patch::vertices_per_tile) *out = source.base[3 * m + axis];
    *out = source.weight[m];
}

/// Packs the blocks of a tile as `Stored`; `members` are those of its lanes.
template <class Stored>
void pack_blocks(const PatchSource& source, const Patch& patch, std::span<const int> members, std::byte* tile) {
    Stored* out = reinterpret_cast<Stored*>(tile + patch.bytes_before_basis());
    for (int k = 0; k < patch.components; ++k, out += numbers_per_block) {
        float block[numbers_per_block] = {};
        float largest = 0.0f;
        for (std::size_t lane = 0; lane < members.size(); ++lane) {
            for (int axis = 0; axis < 3; ++axis) {
                const float b = source.basis(3 * members[lane] + axis, k);
                block[axis * Patch::vertices_per_tile + lane] = b;
                largest = std::max(largest, std::abs(b));
            }
        }
        if constexpr (std::is_integral_v<Stored>) {
            const float scale = network::block_scale(patch.storage, largest);
            reinterpret_cast<float*>(tile)[Patch::floats_per_head + k] = scale;
            for (int i = 0; i < numbers_per_block; ++i) {
                out[i] = static_cast<Stored>(network::to_whole(block[i], scale));
            }
        } else {
            std::copy_n(block, numbers_per_block, out);
        }
    }
}

/// Calls body(x), where x has the type of the numbers of the basis.
template <class Body>
void for_storage(Storage storage, const Body& body) {
    if (storage == Storage::int16) return body(std::int16_t());
    if (storage == Storage::int8) return body(std::int8_t());
    body(float());
}

/// The largest |b - stored b| of a packed basis.
float basis_error(const PatchSource& source, const Patch& patch, std::span<const int> order, const Packed& packed) {
    std::vector<float> stored(3 * static_cast<std::size_t>(patch.components));
    float largest = 0.0f;
    for (int i = 0; i < patch.members; ++i) {
        patch.read_basis(packed, i, stored.data());
        for (int k = 0; k < patch.components; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                const float error = std::abs(source.basis(3 * order[i] + axis, k) - stored[3 * k + axis]);
                largest = std::max(largest, error);
            }
        }
    }
    return largest;
}

}  // namespace

void Patch::read_basis(const Packed& packed, int index, float* basis) const {
    const std::byte* const tile_of_member = tile(packed, index / vertices_per_tile);
    const float* const scale = reinterpret_cast<const float*>(tile_of_member) + floats_per_head;
    const std::byte* const numbers = tile_of_member + bytes_before_basis();
    for_storage(storage, [&](auto example) {
        using Stored = decltype(example);
        const Stored* at = reinterpret_cast<const Stored*>(numbers) + index % vertices_per_tile;
        for (int k = 0; k < components; ++k) {
            for (int axis = 0; axis < 3; ++axis, at += vertices_per_tile) {
                basis[3 * k + axis] = static_cast<float>(*at) * (std::is_integral_v<Stored> ? scale[k] : 1.0f);
            }
        }
    });
}

Patch pack_patch(const PatchSource& source, int members, Storage storage, Packed& packed) {
    std::vector<int> order(members);
    std::iota(order.begin(), order.end(), 0);
    const auto added = std::stable_partition(order.begin(), order.end(), [&](int m) { return !source.is_added[m]; });

    Patch patch;
    patch.members = members;
    patch.num_stored = static_cast<int>(added - order.begin());
    patch.components = static_cast<int>(source.basis.extent(1));
    patch.storage = storage;
    patch.tiles = packed.append<std::byte>(static_cast<std::size_t>(patch.num_tiles() * patch.bytes_per_tile()));
    for (int first = 0; first < members; first += Patch::vertices_per_tile) {
        const std::span<const int> lanes(order.data() + first, std::min(Patch::vertices_per_tile, members - first));
        std::byte* tile = packed.at<std::byte>(patch.tiles) + first / Patch::vertices_per_tile * patch.bytes_per_tile();
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            pack_head(source, lanes[lane], reinterpret_cast<float*>(tile) + lane);
            patch.vertex.push_back(source.vertex[lanes[lane]]);
        }
        for_storage(storage, [&](auto example) { pack_blocks<decltype(example)>(source, patch, lanes, tile); });
    }
    if (storage != Storage::float32) patch.storage_error = basis_error(source, patch, order, packed);
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

}  // namespace rigcast::body
#endif
