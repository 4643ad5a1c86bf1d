#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"

namespace rigwright::rig {

/// How far a pose lies outside the poses a model was trained on. Pose columns come in groups (a joint, a
/// numeric control); of each group the mean, a whitening matrix W and the largest training distance are kept:
///   d_g = |W_g (x_g - mean_g)|,   confidence = min_g 2^-(max(0, d_g / radius_g - 1) / 0.25)^2,
/// 1 inside the training distribution, 1/2 a quarter of its radius outside.
class Confidence {
public:
    /// How far outside, relative to the radius, the confidence is one half: networks go wrong soon after the last
    /// pose that they have seen.
    static constexpr double half_excess = 0.25;

    /// A model without groups (an analytic deformer) is certain everywhere.
    Confidence() = default;
    /// Reads confidence.*; throws ArgumentError where sizes or columns do not fit.
    Confidence(const TensorFile& tensors, std::int64_t num_controls);

    float operator()(const float* pose) const;

private:
    std::vector<std::int32_t> offset_{0}, column_, whiten_offset_{0};
    std::vector<float> mean_, whiten_, radius_;
};

}  // namespace rigwright::rig
