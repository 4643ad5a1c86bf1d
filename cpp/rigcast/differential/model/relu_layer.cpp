#include "rigcast/differential/model/relu_layer.h"

#include <algorithm>

namespace rigcast::differential {

using network::Storage;

namespace {

template <class Stored, class Convert>
void transpose_weights(View<const float, 2> weight, const ReluLayer& layer, Stored* out, const Convert& convert) {
    constexpr int rows_at_once = 16;  // each of which is read in order, so that lines of the cache are used whole
    for (int begin = 0; begin < layer.outputs; begin += rows_at_once) {
        const int end = std::min(begin + rows_at_once, layer.outputs);
        for (std::int64_t i = 0; i < layer.inputs; ++i) {
            for (int row = begin; row < end; ++row) out[i * layer.padded() + row] = convert(weight(row, i));
        }
    }
}

template <class Stored, class Convert>
void read_transposed(const ReluLayer& layer, const Stored* in, View<float, 2> weight, const Convert& convert) {
    for (int i = 0; i < layer.inputs; ++i, in += layer.padded()) {
        for (int row = 0; row < layer.outputs; ++row) weight(row, i) = convert(in[row]);
    }
}

}  // namespace

ReluLayer pack_relu_layer(View<const float, 2> weight, View<const float, 1> bias, bool has_relu, Storage storage,
                          Packed& packed) {
    ReluLayer layer;
    layer.outputs = static_cast<int>(weight.extent(0));
    layer.inputs = static_cast<int>(weight.extent(1));
    layer.has_relu = has_relu;
    layer.storage = storage;
    layer.storage_error = network::storage_error(weight, storage);
    const std::size_t count = static_cast<std::size_t>(layer.padded()) * layer.inputs;
    if (storage == Storage::float32) {
        layer.weight = packed.append<float>(count);
        transpose_weights(weight, layer, packed.at(layer.weight), [](float w) { return w; });
    } else {
        layer.weight = packed.append<std::uint16_t>(count);
        transpose_weights(weight, layer, packed.at<std::uint16_t>(layer.weight),
                          storage == Storage::float16 ? network::to_float16 : network::to_bfloat16);
    }
    layer.bias = packed.append(layer.padded());
    std::copy(bias.begin(), bias.end(), packed.at(layer.bias));
    return layer;
}

void unpack_weights(const ReluLayer& layer, const Packed& packed, View<float, 2> weight) {
    if (layer.storage == Storage::float32) {
        read_transposed(layer, packed.at(layer.weight), weight, [](float w) { return w; });
    } else {
        read_transposed(layer, packed.at<std::uint16_t>(layer.weight), weight,
                        layer.storage == Storage::float16 ? network::from_float16 : network::from_bfloat16);
    }
}

}  // namespace rigcast::differential
