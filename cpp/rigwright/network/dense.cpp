#include "rigwright/network/dense.h"

#include <algorithm>

namespace rigwright::network {
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

}  // namespace

void unpack_weights(const Dense& layer, const Packed& packed, View<float, 2> weight) {
    if (layer.storage == Storage::float32) {
        read_weights<float>(layer, packed, weight, [](float w) { return w; });
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
    layer.storage_error = storage_error(weight, storage);
    const std::size_t count = static_cast<std::size_t>(layer.padded()) * layer.inputs;
    if (storage == Storage::float32) {
        layer.weight = packed.append<float>(count);
        pack_weights<float>(weight, layer, packed, [](float w) { return w; });
    } else {
        layer.weight = packed.append<std::uint16_t>(count);
        pack_weights<std::uint16_t>(weight, layer, packed, storage == Storage::float16 ? to_float16 : to_bfloat16);
    }
    layer.bias = packed.append(layer.padded());
    std::copy(bias.begin(), bias.end(), packed.at(layer.bias));
    return layer;
}

}  // namespace rigwright::network
