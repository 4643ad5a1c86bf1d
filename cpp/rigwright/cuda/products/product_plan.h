#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/cuda/products/grouped_product.h"
#include "rigwright/network/dense.h"

namespace rigwright::cuda {

/// The matrices of one layer in the layout of GroupedProduct, on the host. The outputs of the groups are adjacent, in
/// the order in which the groups were added.
struct ProductPlan {
    explicit ProductPlan(network::Activation f) : activation(f) {}

    /// Adds a group with weight (outputs, inputs) and bias (outputs) that reads the input columns from `first_input`
    /// on. Returns its first output column.
    std::int64_t add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias);
    /// Adds a packed layer, its weights widened to float32.
    std::int64_t add(std::int64_t first_input, const network::Dense& layer, const network::Packed& packed);

    network::Activation activation;
    std::int64_t output_width = 0;
    std::vector<ProductGroup> groups;
    std::vector<ProductTile> tiles;
    std::vector<float> weights;
    std::vector<float> biases;
};

inline std::int64_t ProductPlan::add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias) {
    const std::int64_t outputs = weight.extent(0);
    const std::int64_t first_output = output_width;
    const auto group = static_cast<std::int32_t>(groups.size());
    groups.push_back({first_input, first_output, static_cast<std::int64_t>(weights.size()),
                      static_cast<std::int64_t>(biases.size()), static_cast<std::int32_t>(outputs),
                      static_cast<std::int32_t>(weight.extent(1))});
    for (std::int64_t first = 0; first < outputs; first += GroupedProduct<BiasAndActivation>::outputs_per_tile) {
        tiles.push_back({group, static_cast<std::int32_t>(first)});
    }
    weights.insert(weights.end(), weight.begin(), weight.end());
    biases.insert(biases.end(), bias.begin(), bias.end());
    output_width += outputs;
    return first_output;
}

inline std::int64_t ProductPlan::add(std::int64_t first_input, const network::Dense& layer,
                                     const network::Packed& packed) {
    std::vector<float> weight(static_cast<std::size_t>(layer.outputs) * layer.inputs);
    const View<float, 2> matrix(weight.data(), {layer.outputs, layer.inputs});
    network::unpack_weights(layer, packed, matrix);
    return add(first_input, matrix, {packed.at(layer.bias), {layer.outputs}});
}

}  // namespace rigwright::cuda
