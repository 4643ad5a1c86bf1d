#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/differential/model/relu_layer.h"

namespace rigcast::differential {

/// One network y = W_L relu(... relu(W_1 x + b_1) ...) + b_L of some pose columns x.
struct ReluNetwork {
    std::vector<std::int32_t> column;  // of its inputs
    std::vector<ReluLayer> layers;     // all but the last have a relu
    std::int64_t output_begin = 0;     // its first output in a row of all networks

    /// The floats of a row of inputs or of any layer's outputs or input gradients.
    std::int64_t width() const;
    int outputs() const { return layers.back().outputs; }
};

/// Several networks on one pose, whose outputs lie one after another.
class ReluNetworks {
public:
    /// Throws ArgumentError, which names `name`, unless layers fit each other and columns are below `num_controls`.
    /// Weights are (outputs, inputs).
    void add(const std::string& name, View<const std::int32_t, 1> columns, std::int64_t num_controls,
             const std::vector<View<const float, 2>>& weights, const std::vector<View<const float, 1>>& biases,
             bool in_16_bits);

    const std::vector<ReluNetwork>& networks() const { return networks_; }
    const Packed& packed() const { return packed_; }
    std::int64_t num_outputs() const { return num_outputs_; }
    /// The largest difference of a stored weight from that of the file.
    float storage_error() const;
    std::int64_t num_bytes() const { return static_cast<std::int64_t>(packed_.num_bytes()); }

    /// Floats of working memory of `evaluate`, and of the derivatives; aligned to a cache line.
    std::size_t memory_size(int count) const { return static_cast<std::size_t>((2 * count + 2) * width_); }
    std::size_t derivative_size() const { return static_cast<std::size_t>((2 * (most_layers_ + 1) + 2) * width_); }

    /// Writes the outputs of `count` poses. Inputs that are 0, as relu leaves many, are skipped for single poses: the
    /// results are those of a batch.
    void evaluate(Rows<const float> poses, Rows<float> outputs, int count, float* memory) const;
    /// Updates the outputs of a pose from those of `previous`: evaluates only networks with changed inputs.
    void update(const float* pose, const float* previous, float* outputs, float* memory) const;
    /// Adds the gradient with respect to a pose, given that with respect to the outputs.
    void vjp(const float* pose, const float* output_gradient, float* pose_gradient, float* memory) const;
    /// Writes the derivative of the outputs along a tangent of a pose.
    void jvp(const float* pose, const float* tangent, float* output_tangent, float* memory) const;

private:
    void evaluate_network(const ReluNetwork& network, Rows<const float> poses, Rows<float> outputs, int count,
                          float* memory) const;
    void trace(const ReluNetwork& network, const float* pose, Rows<float> rows, float* memory) const;

    Packed packed_;
    std::vector<ReluNetwork> networks_;
    std::int64_t num_outputs_ = 0;
    std::int64_t width_ = 0;
    std::int64_t most_layers_ = 0;
};

}  // namespace rigcast::differential
