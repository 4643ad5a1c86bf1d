#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/tent.h"

namespace rigwright::rig {

/// A factor of a correction: the weight of a shape, or a tent over it (an in-between).
struct Factor : Tent<float> {  // zeros for a plain weight
    std::int32_t shape;
    bool is_tent = false;

    float value(float w) const { return is_tent ? Tent::value(w) : w; }
    /// The derivative of `value`; at a corner of a tent that on the side of larger weights.
    float slope(float w) const { return is_tent ? Tent::slope(w, 1) : 1.0f; }
};

/// The factors of C corrections, from the tensors blendshape.factor.offset I32[C + 1] into
/// blendshape.factor.shape I32[M] and blendshape.factor.tent F32[M, 3] (x1 < x2 < x3 with finite distances and slopes,
/// or three zeros for a plain weight). A correction has two factors or more, or a single tent, and no shape twice.
class Factors {
public:
    /// Throws ArgumentError on anything else.
    Factors(const TensorFile& tensors, std::int64_t num_shapes);

    std::int64_t num_corrections() const { return static_cast<std::int64_t>(offset_.size()) - 1; }
    std::span<const Factor> of(std::int64_t correction) const {
        return {factor_.data() + offset_[correction], factor_.data() + offset_[correction + 1]};
    }
    std::int64_t num_bytes() const;

    /// Product of the factors' values.
    float activation(std::int64_t correction, const float* weights) const;
    /// The derivative of `activation` along tangents of the weights.
    float activation_tangent(std::int64_t correction, const float* weights, const float* tangents) const;
    /// Adds `gradient` times the derivative of the activation to the gradients of the weights.
    void add_vjp(std::int64_t correction, const float* weights, float gradient, float* weight_gradients) const;

private:
    std::vector<std::int32_t> offset_;
    std::vector<Factor> factor_;
};

}  // namespace rigwright::rig
