#include "rigcast/differential/model/relu_networks.h"

#include <algorithm>
#include <cstring>

#include "rigcast/core/error.h"

namespace rigcast::differential {

std::int64_t ReluNetwork::width() const {
    std::int64_t most = layers.front().padded_inputs();
    for (const ReluLayer& layer : layers) most = std::max<std::int64_t>(most, layer.padded());
    return most;
}

void ReluNetworks::add(const std::string& name, View<const std::int32_t, 1> columns, std::int64_t num_controls,
                       const std::vector<View<const float, 2>>& weights,
                       const std::vector<View<const float, 1>>& biases, bool in_16_bits) {
    ReluNetwork network;
    network.column.assign(columns.begin(), columns.end());
    for (const std::int32_t c : columns) {
        if (c < 0 || c >= num_controls) {
            throw bad_argument("load", name + ".column", "holding " + std::to_string(c),
                               "pose columns below " + std::to_string(num_controls));
        }
    }
    std::int64_t inputs = columns.extent(0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i].extent(1) != inputs || weights[i].extent(0) == 0 ||
            weights[i].extent(0) != biases[i].extent(0)) {
            throw bad_argument("load", name + ".layer" + std::to_string(i + 1),
                               std::to_string(weights[i].extent(0)) + " x " + std::to_string(weights[i].extent(1)) +
                                   " with " + std::to_string(biases[i].extent(0)) + " biases",
                               "of at least one output with a bias each, and " + std::to_string(inputs) + " inputs");
        }
        inputs = weights[i].extent(0);
        const bool is_last = i + 1 == weights.size();
        network.layers.push_back(
            pack_relu_layer(weights[i], biases[i], !is_last,
                            in_16_bits ? network::choose_storage(weights[i]) : network::Storage::float32, packed_));
    }
    network.output_begin = num_outputs_;
    num_outputs_ += inputs;
    // Rows a power of two apart would share cache sets.
    width_ = std::max(width_, network.width() + ReluLayer::outputs_per_vector);
    most_layers_ = std::max(most_layers_, static_cast<std::int64_t>(weights.size()));
    networks_.push_back(std::move(network));
}

float ReluNetworks::storage_error() const {
    float most = 0.0f;
    for (const ReluNetwork& network : networks_) {
        for (const ReluLayer& layer : network.layers) most = std::max(most, layer.storage_error);
    }
    return most;
}

void ReluNetworks::evaluate(Rows<const float> poses, Rows<float> outputs, int count, float* memory) const {
    for (const ReluNetwork& network : networks_) evaluate_network(network, poses, outputs, count, memory);
}

void ReluNetworks::update(const float* pose, const float* previous, float* outputs, float* memory) const {
    for (const ReluNetwork& network : networks_) {
        const bool is_same = std::all_of(network.column.begin(), network.column.end(), [&](std::int32_t c) {
            return std::memcmp(pose + c, previous + c, sizeof(float)) == 0;
        });
        if (!is_same) evaluate_network(network, {pose, 0}, {outputs, 0}, 1, memory);
    }
}

void ReluNetworks::evaluate_network(const ReluNetwork& network, Rows<const float> poses, Rows<float> outputs, int count,
                                    float* memory) const {
    const Rows<float> rows[2] = {{memory, width_}, {memory + count * width_, width_}};
    float* const work = memory + 2 * count * width_;
    for (int p = 0; p < count; ++p) {
        for (std::size_t i = 0; i < network.column.size(); ++i) {
            rows[0].row(p)[i] = poses.row(p)[network.column[i]];
        }
    }
    int from = 0;
    for (const ReluLayer& layer : network.layers) {
        relu_layer_kernels().evaluate(layer, packed_, rows[from], rows[1 - from], count, work);
        from = 1 - from;
    }
    for (int p = 0; p < count; ++p) {
        std::copy_n(rows[from].row(p), network.outputs(), outputs.row(p) + network.output_begin);
    }
}

/// Writes the inputs and the outputs of all layers of a network, one row each.
void ReluNetworks::trace(const ReluNetwork& network, const float* pose, Rows<float> rows, float* memory) const {
    for (std::size_t i = 0; i < network.column.size(); ++i) rows.row(0)[i] = pose[network.column[i]];
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i);
        relu_layer_kernels().evaluate(network.layers[i], packed_, rows.from(at), rows.from(at + 1), 1, memory);
    }
}

void ReluNetworks::vjp(const float* pose, const float* output_gradient, float* pose_gradient, float* memory) const {
    const Rows<float> values{memory, width_};
    const Rows<float> gradients = values.from(most_layers_ + 1);
    for (const ReluNetwork& network : networks_) {
        trace(network, pose, values, gradients.row(most_layers_ + 1));
        const std::int64_t last = static_cast<std::int64_t>(network.layers.size());
        float* top = gradients.row(last);
        std::fill(std::copy_n(output_gradient + network.output_begin, network.outputs(), top), top + width_, 0.0f);
        for (std::int64_t i = last; i > 0; --i) {
            relu_layer_kernels().vjp(network.layers[i - 1], packed_, values.row(i - 1), i > 1, values.row(i),
                                     gradients.row(i), gradients.row(i - 1));
        }
        for (std::size_t i = 0; i < network.column.size(); ++i) {
            pose_gradient[network.column[i]] += gradients.row(0)[i];
        }
    }
}

void ReluNetworks::jvp(const float* pose, const float* tangent, float* output_tangent, float* memory) const {
    const Rows<float> values{memory, width_};
    const Rows<float> tangents = values.from(most_layers_ + 1);
    float* const work = tangents.row(most_layers_ + 1);
    for (const ReluNetwork& network : networks_) {
        trace(network, pose, values, work);
        for (std::size_t i = 0; i < network.column.size(); ++i) tangents.row(0)[i] = tangent[network.column[i]];
        const std::int64_t last = static_cast<std::int64_t>(network.layers.size());
        for (std::int64_t i = 0; i < last; ++i) {
            relu_layer_kernels().jvp(network.layers[i], packed_, values.row(i + 1), tangents.row(i),
                                     tangents.row(i + 1), work);
        }
        std::copy_n(tangents.row(last), network.outputs(), output_tangent + network.output_begin);
    }
}

}  // namespace rigcast::differential
