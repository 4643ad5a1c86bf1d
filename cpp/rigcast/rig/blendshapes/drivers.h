#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/tent.h"

namespace rigcast::rig {

/// One factor of a correction's activation: the weight of a shape, or a tent over it (an in-between).
struct Driver {
    std::int32_t shape = 0;
    bool is_tent = false;
    Tent<float> tent = {};  // all zero if the driver is a plain weight

    float value(float w) const { return is_tent ? tent.value(w) : w; }
    /// The derivative of `value`; at a corner of the tent, the right-hand one.
    float slope(float w) const { return is_tent ? tent.slope(w, 1) : 1.0f; }
};

/// The drivers of C corrections. A correction's activation is the product of its drivers: two or more, or a single
/// tent, over different shapes.
///
/// Tensors (M drivers of all corrections):
///   blendshape.factor.offset I32[C + 1]: correction c has the drivers offset[c] to before offset[c + 1];
///   blendshape.factor.shape I32[M];
///   blendshape.factor.tent F32[M, 3]: x1 < x2 < x3 with finite distances and slopes, or zeros for a plain weight.
class Drivers {
public:
    /// Throws ArgumentError if a tensor is missing or breaks a rule above.
    Drivers(const TensorFile& tensors, std::int64_t num_shapes);

    std::int64_t num_corrections() const { return static_cast<std::int64_t>(offset_.size()) - 1; }
    std::span<const Driver> of(std::int64_t correction) const {
        return {driver_.data() + offset_[correction], driver_.data() + offset_[correction + 1]};
    }
    /// Bytes of memory used beside the tensors.
    std::int64_t num_bytes() const;

    /// The product of the drivers' values at K weights.
    float activation(std::int64_t correction, const float* weights) const;
    /// The directional derivative of `activation` along K tangents of the weights.
    float activation_tangent(std::int64_t correction, const float* weights, const float* tangents) const;
    /// Adds gradient * d activation / d weight to the gradients of the K weights.
    void add_vjp(std::int64_t correction, const float* weights, float gradient, float* weight_gradients) const;

private:
    std::vector<std::int32_t> offset_;
    std::vector<Driver> driver_;
};

}  // namespace rigcast::rig
