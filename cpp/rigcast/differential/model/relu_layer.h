#pragma once
#include <cstddef>
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/packed.h"

namespace rigcast::differential {

using network::Packed;
using network::Rows;

/// A dense layer y = f(W x + b), f = relu or the identity, packed for sparse inputs: relu leaves about half of a
/// layer's outputs at 0, and single rows do not read the weights of these. Layout: W^T, one row of all outputs per
/// input, padded with zeros to a multiple of 16 outputs. What belongs to an input lies in one run, so that skipped
/// inputs save memory traffic: shorter runs (network::Dense) are prefetched anyway.
struct ReluLayer {
    static constexpr int outputs_per_vector = network::Dense::outputs_per_vector;

    int inputs = 0;
    int outputs = 0;
    bool has_relu = false;
    network::Storage storage = network::Storage::float32;  // of the weights; biases are float32
    float storage_error = 0.0f;                            // the largest |w - stored w|
    std::size_t weight = 0;                                // offsets into the Packed
    std::size_t bias = 0;

    /// The outputs padded to whole vectors: floats of a result row.
    int padded() const { return (outputs + outputs_per_vector - 1) / outputs_per_vector * outputs_per_vector; }
    int padded_inputs() const { return (inputs + outputs_per_vector - 1) / outputs_per_vector * outputs_per_vector; }
};

/// Packs W (outputs, inputs) and b (outputs) into `packed`.
ReluLayer pack_relu_layer(View<const float, 2> weight, View<const float, 1> bias, bool has_relu,
                          network::Storage storage, Packed& packed);

/// Writes the weights (outputs, inputs) of a packed layer, widened to float32.
void unpack_weights(const ReluLayer& layer, const Packed& packed, View<float, 2> weight);

/// Operations compiled for the instruction set in use. Guarantee: the result of a row does not depend on the others.
/// Requires: result rows are padded and aligned to cache lines; `memory` has 2 * padded_inputs floats.
struct ReluLayerKernels {
    /// y = f(W x + b) of `count` rows.
    void (*evaluate)(const ReluLayer& layer, const Packed& packed, Rows<const float> x, Rows<float> y, int count,
                     float* memory);
    /// Jacobian-vector product of one row: y_tangent = (W x_tangent) * f', with f' computed from y.
    void (*jvp)(const ReluLayer& layer, const Packed& packed, const float* y, const float* x_tangent, float* y_tangent,
                float* memory);
    /// Vector-Jacobian product of one row: x_gradient = W^T (y_gradient * f'), with f' computed from y. y_gradient must
    /// be zero beyond the outputs and is overwritten by y_gradient * f'. If the inputs x come from a relu (`skips`),
    /// gradients of those at 0 are 0, as the relu makes them, and their weights are not read.
    void (*vjp)(const ReluLayer& layer, const Packed& packed, const float* x, bool skips, const float* y,
                float* y_gradient, float* x_gradient);
};
const ReluLayerKernels& relu_layer_kernels();

}  // namespace rigcast::differential
