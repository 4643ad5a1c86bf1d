#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"

namespace rigcast::rig {

/// Which combination of joints and controls a pose is, compared with the training poses: a pose may turn every joint as
/// they do, and still none of them does so together. With columns x in smallest deviations, their principal components
/// y of deviations s, and the radius, which most training poses keep:
///   z = (x - mean) scale,   y = basis^T z,   d^2 = |z|^2 - sum_k y_k^2 s_k^2 / (s_k^2 + 1),   distance = d / radius,
/// the Mahalanobis distance with the covariance plus one smallest deviation in every direction. The largest error of
/// the pose's vertices is expected to be
///   error = exp(offset + far log(distance) + sum_i linear_i u_i + square_i u_i^2),   u_i = clamp(z_i / t_i, -3, 3),
/// with the deviations t of the columns, relative to the 99th percentile of the held-out errors: nine of ten held-out
/// poses kept it. The exponent is held within 4 of 0. Near the rest pose, where the model was found to be right, less
/// of it counts: known = clamp(|q - rest| - 0.01, 0, 1), q_k = clamp(y_k / s_k, -3, 3).
///
/// Tensors (n columns, K components): confidence.space.column I32[n], .mean and .scale F32[n], .basis F32[n, K],
/// .deviation F32[K] (above 0), .radius F32[1]; optionally confidence.error.deviation (above 0), .linear and .square
/// F32[n], .distance and .offset F32[1] (far, offset); and optionally confidence.error.rest F32[K].
class Combinations {
public:
    struct Found {
        double distance = 0.0;  // above 1: outside
        double error = 0.0;
        double known = 1.0;
    };

    /// No columns: nothing is outside, and no error expected.
    Combinations() = default;
    /// Reads the tensors; without confidence.space.radius there are no columns. Throws ArgumentError if sizes do not
    /// fit, a column is out of range, a scale, a deviation or the radius is not positive, or the basis has no
    /// directions of length 1.
    Combinations(const TensorFile& tensors, std::int64_t num_controls);

    Found operator()(const float* pose) const;

private:
    void read_error(const TensorFile& tensors);
    struct Sums;
    Sums sums(const float* pose) const;

    std::vector<std::int32_t> column_;
    std::vector<float> mean_, scale_, basis_, deviation_;
    std::vector<float> inverse_, linear_, square_, rest_;  // inverse_: 1 / t
    double radius_ = 1.0, far_ = 0.0, offset_ = 0.0;
};

/// The confidence in a model at a pose, from 1 to 0: whether the pose lies among the training poses, and how large an
/// error is expected there. Groups g of pose columns (a joint or a numeric control each) have a mean, a whitening
/// matrix W and a radius, about the largest training distance; Combinations judge all joints and controls at once:
///   d_g = |W_g (x_g - mean_g)|,   excess = max(0, max_g d_g / radius_g - 1, distance - 1) / 0.25,
///   doubt = known error / 5,   confidence = 0.9^(doubt^2) 2^-(excess^2).
/// It is 1/2 at a quarter of a radius outside; inside it is 0.9 if the largest error of the pose's vertices is expected
/// to be five times the 99th percentile of the held-out errors, and 0.996 if it is expected to be the percentile
/// itself.
///
/// Tensors (G groups, M columns of all groups): confidence.radius F32[G]; confidence.offset I32[G + 1] into
/// confidence.column I32[M] and confidence.mean F32[M]; confidence.whiten.offset I32[G + 1] into confidence.whiten F32,
/// the matrices row by row; and those of Combinations. A file without these is judged by its groups alone.
class Confidence {
public:
    /// Excess over the radius, relative to it, at which the confidence is 1/2. Networks fail soon outside their
    /// training poses, so it is small. Chosen, not tuned.
    static constexpr double half_excess = 0.25;
    /// Expected error, relative to the 99th percentile of the held-out errors, at which the confidence is 0.9.
    static constexpr double doubted_error = 5.0;

    /// No groups, for analytic deformers: the confidence is 1 everywhere.
    Confidence() = default;
    /// Reads the tensors; without confidence.radius there are no groups. Throws ArgumentError if sizes do not fit, a
    /// column is out of range, a radius is not positive, or as Combinations.
    Confidence(const TensorFile& tensors, std::int64_t num_controls);

    /// The confidence at a pose (C), in [0, 1].
    float operator()(const float* pose) const;
    /// Returns true if a pose (C) lies outside the training poses, by a joint, a control or their combination.
    bool outside(const float* pose) const;

private:
    double groups_excess(const float* pose) const;

    std::vector<std::int32_t> offset_{0};
    std::vector<std::int32_t> column_;
    std::vector<std::int32_t> whiten_offset_{0};
    std::vector<float> mean_;
    std::vector<float> whiten_;
    std::vector<float> radius_;
    Combinations combinations_;
};

}  // namespace rigcast::rig
