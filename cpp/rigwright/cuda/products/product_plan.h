#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/cuda/products/grouped_product.h"

namespace rigwright::cuda {

/// The matrices of one layer as GroupedProduct wants them, on the host. Outputs of the groups lie side by side
/// in the order they were added.
struct ProductPlan {
    explicit ProductPlan(network::Activation f) : activation(f) {}

    /// Adds a group that reads `weight.extent(1)` columns from `first_input` on: weight (rows, depth), bias
    /// (rows). Returns its first output column.
    std::int64_t add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias);

    network::Activation activation;
    std::int64_t output_width = 0;
    std::vector<ProductGroup> groups;
    std::vector<ProductTile> tiles;
    std::vector<float> weights, biases;
};

inline std::int64_t ProductPlan::add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias) {
    const std::int64_t rows = weight.extent(0), first_output = output_width;
    const auto group = static_cast<std::int32_t>(groups.size());
    groups.push_back({first_input, first_output, static_cast<std::int64_t>(weights.size()),
                      static_cast<std::int64_t>(biases.size()), static_cast<std::int32_t>(rows),
                      static_cast<std::int32_t>(weight.extent(1))});
    for (std::int64_t row = 0; row < rows; row += GroupedProduct<BiasAndActivation>::tile) {
        tiles.push_back({group, static_cast<std::int32_t>(row)});
    }
    weights.insert(weights.end(), weight.begin(), weight.end());
    biases.insert(biases.end(), bias.begin(), bias.end());
    output_width += rows;
    return first_output;
}

}  // namespace rigwright::cuda
