#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rigcast/baseline/models/forward_only.h"
#include "rigcast/baseline/models/gradient_solve.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::baseline {

/// Rotational regression (Wang et al. 2007). The deformation gradient of triangle f is
///   D_f = A_b exp([r_f]x) S_f,   (r_f, S_f) = y_f = b_f + sum_i W_fi theta_j(f, i),
/// A_b the linear part of the skinning transform of the triangle's bone b, r (3) a rotation vector in the frame of the
/// bone, S symmetric (6 numbers: 00 01 02 11 12 22), and theta_j (3) the rotation vector of joint j relative to its
/// rest rotation, of the rotation nearest to its parent-relative transform. The vertices are those of GradientSolve,
/// with anchors that linear blend skinning places. Numeric controls have no effect. Theta jumps at half turns of a
/// joint.
///
/// Substituted against the paper: W is any matrix (3, 3) per joint, where the paper scales and turns the axis; the
/// vertices come from a sparse factorization, where the paper reduces them to near-rigid groups.
///
/// Tensors: rotation.rest F32[S, 3], rotation.faces I32[F, 3], rotation.output I32[V], the model's vertices among the
/// S; rotation.bone I32[F]; rotation.joint I32[F, K], -1 if unused; rotation.weight F32[F, K, 27] (9, 3) W;
/// rotation.bias F32[F, 9]; rotation.anchor I32[A] with skin.joint I32[A, N] and skin.weight F32[A, N].
class RotationalRegression final : public ForwardOnly {
public:
    /// Throws ArgumentError if a tensor is missing, sizes do not fit, an index is out of range, or a connected part of
    /// the mesh has no anchor.
    explicit RotationalRegression(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;

    struct Memory;
    struct Local;
    std::size_t memory_size() const;
    void prepare(std::int64_t frame, const float* pose, const Memory& memory) const;
    Local local(std::int64_t f, const Memory& memory) const;
    void regress(std::int64_t f, const float* theta, double* y) const;
    void add_gradients(const Memory& memory, double* rhs, std::int64_t stride) const;
    void add_anchors(std::int64_t frame, const float* transforms, double* rhs, std::int64_t stride) const;
    void store(const double* solution, std::int64_t stride, float* vertices) const;

    View<const std::int32_t, 1> output_;
    View<const std::int32_t, 2> faces_;
    View<const std::int32_t, 1> bone_;
    View<const std::int32_t, 2> joint_;
    View<const float, 3> weight_;
    View<const float, 2> bias_;
    View<const std::int32_t, 1> anchor_;
    std::vector<float> anchor_rest_;        // (A, 3)
    std::vector<double> rest_rotation_;     // (J, 3, 3)
    std::optional<rig::SkinWeights> skin_;  // of the anchors
    std::optional<GradientSolve> solve_;
};

}  // namespace rigcast::baseline
