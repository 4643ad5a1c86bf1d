#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/body/vertex_set.h"
#include "rigcast/rig/derivatives/pose_directions.h"

namespace rigcast::body {

/// The network of a vertex set as least squares want it, for few members: the linear third layer and the basis are one
/// matrix,
///   base + n = F tanh(W2 tanh(W1 x + b1) + b2) + f,
/// and W1 and W2 are packed transposed for backward passes, which are then forward passes without horizontal sums, in
/// 16 bits: points have the precision of the model, their derivatives three digits. A set without a network has f =
/// base alone.
class OffsetNetwork {
public:
    /// Appends its matrices to `packed`. `model` has the layers of the set.
    OffsetNetwork(const VertexSet& set, const Packed& model, const rig::Character& character, Packed& packed);

    bool has_network() const { return !rows_.empty(); }
    /// Floats of an array of `forward` and `add_derivatives`: whole cache lines.
    std::int64_t width() const { return width_; }

    /// Writes the points (M, 3) of a pose, in the coordinates of the set's joint, and the outputs of the hidden layers
    /// into two arrays. `work` has one array.
    void forward(const VertexSet& set, const Packed& model, const Packed& packed, const float* pose, float* hidden,
                 float* work, float* points) const;
    /// Adds the derivatives of weight * linear * point along directions to the three rows of a member, which are
    /// `stride` numbers apart; `linear` is the 3x3 part of a transform (3, 4). `work` has six arrays.
    void add_derivatives(int member, const Packed& packed, const float* hidden, const float* linear, float weight,
                         const rig::PoseDirections& directions, float* work, double* rows, std::int64_t stride) const;

private:
    /// An entry of a joint's transform, and which input it is.
    struct Input {
        std::int32_t entry;
        std::int32_t place;
    };

    void read_layers(const VertexSet& set, const Packed& model, Packed& packed);
    void read_inputs(const VertexSet& set, const rig::Character& character);

    std::int64_t width_ = 0;
    std::vector<float> base_;          // (M, 3) without a network
    network::Dense points_;            // F, f
    std::vector<float> rows_;          // (3 M, H2) F
    network::Dense backward_[2];       // W1^T, W2^T
    std::vector<std::int32_t> begin_;  // (J + 1) into inputs_
    std::vector<Input> inputs_;        // of each joint
    std::int32_t numeric_ = 0;         // columns of joints
    std::vector<std::int32_t> dials_;  // per numeric control: its place among the inputs, or -1
};

}  // namespace rigcast::body
