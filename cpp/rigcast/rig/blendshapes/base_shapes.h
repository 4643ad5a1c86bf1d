#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::rig {

/// What lies under the networks of a learned face: offsets of N points that are linear in features of a pose x (C),
///   o(x) = o0 + sum_c x_c b_c + sum_p phi_p(x) b_(C + p),   phi_p = x_a x_b (a = b is allowed), or max(x_a, 0).
/// Networks with rectified units follow combination shapes and signed controls only approximately; these have them as
/// they are. At x_a = 0 the derivative of max(x_a, 0) is 0.
///
/// Tensors: base.first I32[P] a, base.second I32[P] b, or -1 for max(x_a, 0); base.constant F32[N, 3] o0; and
/// base.group.* with base.delta, or with base.delta16 and base.scale, of N vertices in C + P columns: those of
/// GroupedColumns with "base." in place of "blendshape.".
class BaseShapes {
public:
    /// Whether a file has base shapes: one of their tensors.
    static bool are_in(const TensorFile& tensors);
    /// `start` (N, 3) or empty: is added to o0, for points in place of offsets. Throws ArgumentError that names the
    /// tensor that is missing, malformed or out of range.
    BaseShapes(const TensorFile& tensors, std::int64_t num_controls, std::int64_t num_points,
               View<const float, 2> start);

    /// The rig whose weights are features (C + P) and whose vertices are the points.
    const std::shared_ptr<const BlendshapeRig>& rig() const { return rig_; }
    const std::vector<std::int32_t>& first() const { return first_; }
    const std::vector<std::int32_t>& second() const { return second_; }

    /// The features (T, C + P) of poses (T, C), and their derivatives along tangents (T, C). `function` and `frame`,
    /// that of the first pose, are named by the ArgumentError for a pose that is too large.
    std::vector<float> features(const char* function, std::int64_t frame, View<const float, 2> poses) const;
    std::vector<float> feature_tangents(View<const float, 2> poses, View<const float, 2> tangents) const;

    /// Writes the points (T, N, 3). Guarantee: a frame has the same bytes in any batch.
    void evaluate(const char* function, std::int64_t frame, View<const float, 2> poses, View<float, 3> points,
                  int threads) const;
    /// Writes their derivatives along tangents of the poses.
    void jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives) const;
    /// Adds to the gradient of a pose (C) what cotangents (N, 3) of the points ask for.
    void add_vjp(View<const float, 1> pose, View<const float, 2> cotangents, float* gradient) const;

    /// Adds the tensors of the base of some points of the file, in that order.
    static void add_restricted(const TensorFile& source, std::int64_t num_controls, View<const std::int32_t, 1> points,
                               TensorFile& result);

private:
    View<const float, 2> as_features(const std::vector<float>& rows) const {
        return {rows.data(), {static_cast<std::int64_t>(rows.size()) / rig_->num_shapes(), rig_->num_shapes()}};
    }

    std::vector<std::int32_t> first_, second_;
    std::shared_ptr<const BlendshapeRig> rig_;
};

/// The points of successive poses: what did not change is not computed again.
class BaseSession {
public:
    explicit BaseSession(const BaseShapes& base) : base_(base), session_(base.rig()) {}
    /// Writes the points (N, 3) of a pose (C), with the bytes of BaseShapes::evaluate.
    void evaluate(View<const float, 1> pose, View<float, 2> points);

private:
    const BaseShapes& base_;
    Session session_;
};

}  // namespace rigcast::rig
