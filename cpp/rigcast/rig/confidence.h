#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/tensor_file.h"
#include "rigcast/core/view.h"

namespace rigcast::rig {

/// The confidence in a model at a pose, by the distance of the pose from the training poses. Groups g of pose columns
/// (a joint or a numeric control each) have a mean, a whitening matrix W and a radius, the largest training distance:
///   d_g = |W_g (x_g - mean_g)|,   confidence = min_g 2^-(max(0, d_g / radius_g - 1) / 0.25)^2.
/// It is 1 inside all radii and 1/2 at a quarter of a radius outside.
///
/// Tensors (G groups, M columns of all groups): confidence.radius F32[G]; confidence.offset I32[G + 1] into
/// confidence.column I32[M] and confidence.mean F32[M]; confidence.whiten.offset I32[G + 1] into confidence.whiten F32,
/// the matrices row by row.
class Confidence {
public:
    /// Excess over the radius, relative to it, at which the confidence is 1/2. Networks fail soon outside their
    /// training poses, so it is small. Chosen, not tuned.
    static constexpr double half_excess = 0.25;

    /// No groups, for analytic deformers: the confidence is 1 everywhere.
    Confidence() = default;
    /// Reads the tensors; without confidence.radius there are no groups. Throws ArgumentError if sizes do not fit, a
    /// column is out of range, or a radius is not positive.
    Confidence(const TensorFile& tensors, std::int64_t num_controls);

    /// The confidence at a pose (C), in [0, 1].
    float operator()(const float* pose) const;

private:
    std::vector<std::int32_t> offset_{0};
    std::vector<std::int32_t> column_;
    std::vector<std::int32_t> whiten_offset_{0};
    std::vector<float> mean_;
    std::vector<float> whiten_;
    std::vector<float> radius_;
};

}  // namespace rigcast::rig
