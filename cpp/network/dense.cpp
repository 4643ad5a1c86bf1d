#include "network/dense.h"

#include <algorithm>

namespace rigwright::network {

Dense pack_dense(View<const float, 2> weight, View<const float, 1> bias, Activation activation, Packed& packed) {
    Dense layer;
    layer.outputs = static_cast<int>(weight.extent(0));
    layer.inputs = static_cast<int>(weight.extent(1));
    layer.activation = activation;
    const int padded = layer.padded();
    layer.weight = packed.append(static_cast<std::size_t>(padded) * layer.inputs);
    float* out = packed.at(layer.weight);
    for (int begin = 0; begin < padded; begin += Dense::group) {
        const int rows = std::min(Dense::group, padded - begin);
        const int filled = std::min(rows, layer.outputs - begin);
        for (int k = 0; k < layer.inputs; ++k, out += rows) {
            for (int row = 0; row < filled; ++row) out[row] = weight(begin + row, k);
        }
    }
    layer.bias = packed.append(padded);
    std::copy(bias.begin(), bias.end(), packed.at(layer.bias));
    return layer;
}

}  // namespace rigwright::network
