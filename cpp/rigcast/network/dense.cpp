#include "rigcast/network/dense.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rigcast::network {
namespace {

/// Writes W in the order of the kernels, each weight w as convert(w).
template <class Stored, class Convert>
void pack_weights(View<const float, 2> weight, const Dense& layer, Packed& packed, const Convert& convert) {
    Stored* out = packed.at<Stored>(layer.weight);
    const int padded = layer.padded();
    for (int begin = 0; begin < padded; begin += Dense::outputs_per_group) {
        const int rows = std::min(Dense::outputs_per_group, padded - begin);
        const int filled = std::min(rows, layer.outputs - begin);
        for (int k = 0; k < layer.inputs; ++k, out += rows) {
            for (int row = 0; row < filled; ++row) out[row] = convert(weight(begin + row, k));
        }
    }
}

/// Reads what pack_weights wrote, each weight as convert(w).
template <class Number, class Convert>
void read_weights(const Dense& layer, const Packed& packed, View<float, 2> weight, const Convert& convert) {
    const Number* in = packed.at<Number>(layer.weight);
    const int padded = layer.padded();
    for (int begin = 0; begin < padded; begin += Dense::outputs_per_group) {
        const int rows = std::min(Dense::outputs_per_group, padded - begin);
        const int filled = std::min(rows, layer.outputs - begin);
        for (int k = 0; k < layer.inputs; ++k, in += rows) {
            for (int row = 0; row < filled; ++row) weight(begin + row, k) = convert(in[row]);
        }
    }
}

/// Calls visit(scales, weights, begin, filled, rows) for all groups of a layer with blocks: its first output, its
/// outputs without and with padding.
template <class Number, class Bytes, class Visit>
void for_groups_of_blocks(const Dense& layer, Bytes* at, const Visit& visit) {
    using Scale = std::conditional_t<std::is_const_v<Bytes>, const float, float>;
    using Weight = std::conditional_t<std::is_const_v<Bytes>, const Number, Number>;
    const int padded = layer.padded();
    for (int begin = 0; begin < padded; begin += Dense::outputs_per_group) {
        const int rows = std::min(Dense::outputs_per_group, padded - begin);
        Weight* const weight = reinterpret_cast<Weight*>(at + layer.bytes_of_scales());
        visit(reinterpret_cast<Scale*>(at), weight, begin, std::min(rows, layer.outputs - begin), rows);
        at = reinterpret_cast<Bytes*>(weight + static_cast<std::size_t>(rows) * layer.inputs);
    }
}

std::size_t bytes_of_blocks(const Dense& layer) {
    const int groups = (layer.padded() + Dense::outputs_per_group - 1) / Dense::outputs_per_group;
    const std::size_t weights = static_cast<std::size_t>(layer.padded()) * layer.inputs;
    return groups * layer.bytes_of_scales() + weights * num_bytes(layer.storage);
}

/// Writes scales and weights, and the layer's error.
template <class Number>
void pack_blocks(View<const float, 2> weight, Dense& layer, Packed& packed) {
    const auto pack = [&](float* scale, Number* out, int begin, int filled, int rows) {
        for (int k = 0; k < layer.inputs; ++k, out += rows) {
            float largest = 0.0f;
            for (int row = 0; row < filled; ++row) largest = std::max(largest, std::abs(weight(begin + row, k)));
            scale[k] = block_scale(layer.storage, largest);
            for (int row = 0; row < filled; ++row) {
                const float w = weight(begin + row, k);
                out[row] = static_cast<Number>(to_whole(w, scale[k]));
                const float stored = static_cast<float>(out[row]) * scale[k];
                layer.storage_error = std::max(layer.storage_error, std::abs(w - stored));
            }
        }
    };
    for_groups_of_blocks<Number>(layer, packed.at<std::byte>(layer.weight), pack);
}

template <class Number>
void read_blocks(const Dense& layer, const Packed& packed, View<float, 2> weight) {
    const auto read = [&](const float* scale, const Number* in, int begin, int filled, int rows) {
        for (int k = 0; k < layer.inputs; ++k, in += rows) {
            for (int row = 0; row < filled; ++row) weight(begin + row, k) = static_cast<float>(in[row]) * scale[k];
        }
    };
    for_groups_of_blocks<Number>(layer, packed.at<std::byte>(layer.weight), read);
}

}  // namespace

void unpack_weights(const Dense& layer, const Packed& packed, View<float, 2> weight) {
    if (layer.storage == Storage::float32) {
        read_weights<float>(layer, packed, weight, [](float w) { return w; });
    } else if (layer.storage == Storage::int16) {
        read_blocks<std::int16_t>(layer, packed, weight);
    } else if (layer.storage == Storage::int8) {
        read_blocks<std::int8_t>(layer, packed, weight);
    } else {
        read_weights<std::uint16_t>(layer, packed, weight,
                                    layer.storage == Storage::float16 ? from_float16 : from_bfloat16);
    }
}

Dense pack_dense(View<const float, 2> weight, View<const float, 1> bias, Activation activation, Packed& packed,
                 Storage storage) {
    Dense layer;
    layer.outputs = static_cast<int>(weight.extent(0));
    layer.inputs = static_cast<int>(weight.extent(1));
    layer.activation = activation;
    layer.storage = storage;
    const std::size_t count = static_cast<std::size_t>(layer.padded()) * layer.inputs;
    if (has_blocks(storage)) {
        layer.weight = packed.append<std::byte>(bytes_of_blocks(layer));
        (storage == Storage::int16 ? pack_blocks<std::int16_t> : pack_blocks<std::int8_t>)(weight, layer, packed);
    } else if (storage == Storage::float32) {
        layer.weight = packed.append<float>(count);
        pack_weights<float>(weight, layer, packed, [](float w) { return w; });
    } else {
        layer.weight = packed.append<std::uint16_t>(count);
        layer.storage_error = storage_error(weight, storage);
        pack_weights<std::uint16_t>(weight, layer, packed, storage == Storage::float16 ? to_float16 : to_bfloat16);
    }
    layer.bias = packed.append(layer.padded());
    std::copy(bias.begin(), bias.end(), packed.at(layer.bias));
    return layer;
}

}  // namespace rigcast::network
