#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/tent.h"

namespace rigwright::rig {

/// What a correction's activation is a product of: the weight of a shape, or a tent over it (an in-between).
struct Driver {
    std::int32_t shape = 0;
    bool is_tent = false;
    Tent<float> tent;  // zeros for a plain weight

    float value(float w) const { return is_tent ? tent.value(w) : w; }
    /// The derivative of `value`; at a corner of a tent that on the side of larger weights.
    float slope(float w) const { return is_tent ? tent.slope(w, 1) : 1.0f; }
};

/// The drivers of C corrections, from the tensors blendshape.factor.offset I32[C + 1] into
/// blendshape.factor.shape I32[M] and blendshape.factor.tent F32[M, 3] (x1 < x2 < x3 with finite distances and slopes,
/// or three zeros for a plain weight). A correction has two drivers or more, or a single tent, and no shape twice.
class Drivers {
public:
    /// Throws ArgumentError on anything else.
    Drivers(const TensorFile& tensors, std::int64_t num_shapes);

    std::int64_t num_corrections() const { return static_cast<std::int64_t>(offset_.size()) - 1; }
    std::span<const Driver> of(std::int64_t correction) const {
        return {driver_.data() + offset_[correction], driver_.data() + offset_[correction + 1]};
    }
    std::int64_t num_bytes() const;

    /// Product of the drivers' values.
    float activation(std::int64_t correction, const float* weights) const;
    /// The derivative of `activation` along tangents of the weights.
    float activation_tangent(std::int64_t correction, const float* weights, const float* tangents) const;
    /// Adds `gradient` times the derivative of the activation to the gradients of the weights.
    void add_vjp(std::int64_t correction, const float* weights, float gradient, float* weight_gradients) const;

private:
    std::vector<std::int32_t> offset_;
    std::vector<Driver> driver_;
};

}  // namespace rigwright::rig
