#include "rigcast/body/patch/patch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <type_traits>

namespace rigcast::body {
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
