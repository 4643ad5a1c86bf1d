#include "rigcast/differential/affine_tail.h"

#include <algorithm>

namespace rigcast::differential {
namespace {

constexpr std::int64_t tile_size = AffineTail::vertices_per_tile;

template <class Stored, class Convert>
void pack_weights(View<const float, 2> basis, View<const float, 2> anchor, const AffineTail& tail, Packed& packed,
                  const Convert& convert) {
    Stored* out = packed.at<Stored>(tail.weight);
    for (std::int64_t tile = 0; tile < tail.num_tiles(); ++tile) {
        const std::int64_t first = tile * tile_size;
        const std::int64_t count = std::min(tile_size, tail.num_vertices - first);
        for (std::int64_t r = 0; r < tail.num_coefficients; ++r, out += 3 * tile_size) {
            for (std::int64_t k = 0; k < count; ++k) {
                for (int axis = 0; axis < 3; ++axis) {
                    out[axis * tile_size + k] = convert(basis(3 * (first + k) + axis, r));
                }
            }
        }
        for (std::int64_t a = 0; a < tail.num_anchors; ++a, out += tile_size) {
            for (std::int64_t k = 0; k < count; ++k) out[k] = convert(anchor(first + k, a));
        }
    }
}

template <class Stored, class Convert>
void unpack_weights(const AffineTail& tail, const Stored* weight, std::int64_t place, float* basis, float* anchor,
                    const Convert& convert) {
    weight += place;
    for (std::int64_t r = 0; r < tail.num_coefficients; ++r, weight += 3 * tile_size) {
        for (int axis = 0; axis < 3; ++axis) {
            basis[axis * tail.num_coefficients + r] = convert(weight[axis * tile_size]);
        }
    }
    for (std::int64_t a = 0; a < tail.num_anchors; ++a, weight += tile_size) anchor[a] = convert(*weight);
}

}  // namespace

std::size_t AffineTail::vjp_size() const {
    constexpr std::size_t lanes = network::Dense::outputs_per_vector;
    return lanes * static_cast<std::size_t>(num_coefficients + 3 * num_anchors) + 3 * tile_size;
}

AffineTail pack_affine_tail(View<const float, 2> basis, View<const float, 2> anchor, View<const float, 1> constant,
                            network::Storage storage, Packed& packed) {
    AffineTail tail;
    tail.num_vertices = anchor.extent(0);
    tail.num_coefficients = basis.extent(1);
    tail.num_anchors = anchor.extent(1);
    tail.storage = storage;
    tail.storage_error = std::max(network::storage_error(basis, storage), network::storage_error(anchor, storage));
    tail.constant = packed.append(static_cast<std::size_t>(3 * tile_size * tail.num_tiles()));
    float* constants = packed.at(tail.constant);
    for (std::int64_t k = 0; k < tail.num_vertices; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            constants[(3 * (k / tile_size) + axis) * tile_size + k % tile_size] = constant(3 * k + axis);
        }
    }
    const std::size_t count = static_cast<std::size_t>(tail.num_tiles() * tail.weights_per_tile());
    if (storage == network::Storage::float32) {
        tail.weight = packed.append<float>(count);
        pack_weights<float>(basis, anchor, tail, packed, [](float w) { return w; });
    } else {
        tail.weight = packed.append<std::uint16_t>(count);
        pack_weights<std::uint16_t>(basis, anchor, tail, packed,
                                    storage == network::Storage::float16 ? network::to_float16 : network::to_bfloat16);
    }
    return tail;
}

void unpack_vertex(const AffineTail& tail, const Packed& packed, std::int64_t vertex, float* basis, float* anchor,
                   float* constant) {
    const std::int64_t tile = vertex / tile_size;
    const std::int64_t place = vertex % tile_size;
    const std::int64_t begin = tile * tail.weights_per_tile();
    for (int axis = 0; axis < 3; ++axis) {
        constant[axis] = packed.at(tail.constant)[(3 * tile + axis) * tile_size + place];
    }
    if (tail.storage == network::Storage::float32) {
        unpack_weights(tail, packed.at(tail.weight) + begin, place, basis, anchor, [](float w) { return w; });
    } else {
        unpack_weights(tail, packed.at<std::uint16_t>(tail.weight) + begin, place, basis, anchor,
                       tail.storage == network::Storage::float16 ? network::from_float16 : network::from_bfloat16);
    }
}

}  // namespace rigcast::differential
