#pragma once
#include <memory>

#include "rigcast/rig/deformer.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::rig {

/// Dual quaternion linear blending (Kavan et al. 2007, "Skinning with dual quaternions"), in two phases if joints scale
/// or shear (section 5 of the extended article, 2008).
///
/// Each skinning transform is split about the joint's rest position c_j into the nearest rotation R_j and a symmetric
/// stretch P_j (polar decomposition):
///   G_j (G_j^0)^-1 v = R_j (c_j + P_j (v - c_j)) + t_j.
/// Stretches are blended linearly, rigid motions as dual quaternions q_j:
///   u_k = sum_j w_kj (c_j + P_j (v_k^0 - c_j)),   v_k = q u_k q*,   q = sum_j w_kj s_kj q_j, normalized,
/// where the signs s_kj = +-1 align each q_j with that of the vertex's most influential joint.
///
/// Tensors: those of SkinWeights.
class DualQuaternionBlend final : public Deformer {
public:
    explicit DualQuaternionBlend(std::shared_ptr<const TensorFile> tensors);

    std::unique_ptr<Linearizer> linearizer() const override;

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    void do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<SessionState> new_session_state() const override;

    // `state` is a dual::State<float> in memory of state_size() floats.
    void prepare(const float* pose, float* state) const;
    void skin(const float* state, std::int64_t first, std::int64_t last, float* vertices) const;
    void skin_vjp(const float* state, std::int64_t first, std::int64_t last, const float* cotangents,
                  float* motion_gradient, float* stretch_gradient) const;
    void joint_vjp(int joint, const float* state, const float* motion_gradient, const float* stretch_gradient,
                   float* skinning_gradient) const;
    void joint_jvp(int joint, const float* state, const float* skinning_derivative, float* motion_derivative,
                   float* stretch_derivative) const;
    void skin_jvp(const float* state, const float* motion_derivative, const float* stretch_derivative,
                  std::int64_t first, std::int64_t last, float* derivatives) const;
    void vertex_jacobian(std::int64_t vertex, const float* pose, const float* state, float* memory,
                         View<float, 2> jacobian) const;
    std::size_t state_size() const;

    SkinWeights skin_;
};

}  // namespace rigcast::rig
