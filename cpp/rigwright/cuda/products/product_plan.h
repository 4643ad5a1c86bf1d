#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
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
    /// on. `storage` is the format of its weights on the device, which must be able to represent them. Returns its
    /// first output column.
    std::int64_t add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias,
                     network::Storage storage = network::Storage::float32);
    /// Adds a packed layer in the format in which it is stored.
    std::int64_t add(std::int64_t first_input, const network::Dense& layer, const network::Packed& packed);

    /// The matrices of all groups in their order as float32, for libraries.
    std::vector<float> widened() const;

    network::Activation activation;
    std::int64_t output_width = 0;
    std::vector<ProductGroup> groups;
    std::vector<ProductTile> tiles;
    std::vector<float> weights;                 // of the groups in float32
    std::vector<std::uint16_t> narrow_weights;  // of the groups in 16 bits
    std::vector<float> biases;
};

inline std::int64_t ProductPlan::add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias,
                                     network::Storage storage) {
    const std::int64_t outputs = weight.extent(0);
    const std::int64_t first_output = output_width;
    const auto group = static_cast<std::int32_t>(groups.size());
    const bool is_wide = storage == network::Storage::float32;
    groups.push_back({first_input, first_output,
                      static_cast<std::int64_t>(is_wide ? weights.size() : narrow_weights.size()),
                      static_cast<std::int64_t>(biases.size()), static_cast<std::int32_t>(outputs),
                      static_cast<std::int32_t>(weight.extent(1)), storage});
    for (std::int64_t first = 0; first < outputs; first += GroupedProduct<BiasAndActivation>::outputs_per_tile) {
        tiles.push_back({group, static_cast<std::int32_t>(first)});
    }
    if (is_wide) {
        weights.insert(weights.end(), weight.begin(), weight.end());
    } else {
        const auto narrowed = storage == network::Storage::float16 ? network::to_float16 : network::to_bfloat16;
        std::transform(weight.begin(), weight.end(), std::back_inserter(narrow_weights), narrowed);
    }
    biases.insert(biases.end(), bias.begin(), bias.end());
    output_width += outputs;
    return first_output;
}

inline std::int64_t ProductPlan::add(std::int64_t first_input, const network::Dense& layer,
                                     const network::Packed& packed) {
    std::vector<float> weight(static_cast<std::size_t>(layer.outputs) * layer.inputs);
    const View<float, 2> matrix(weight.data(), {layer.outputs, layer.inputs});
    network::unpack_weights(layer, packed, matrix);
    return add(first_input, matrix, {packed.at(layer.bias), {layer.outputs}}, layer.storage);
}

inline std::vector<float> ProductPlan::widened() const {
    std::vector<float> result;
    for (const ProductGroup& group : groups) {
        const std::int64_t end = group.weight + std::int64_t{group.outputs} * group.inputs;
        for (std::int64_t i = group.weight; i < end; ++i) {
            result.push_back(StoredWeights{weights.data(), narrow_weights.data()}.at(group.storage, i));
        }
    }
    return result;
}

}  // namespace rigwright::cuda
