#pragma once
#include <memory>

#include "rigcast/rig/deformer.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::rig {

/// Linear blend skinning (Magnenat-Thalmann et al. 1988):
///   v_k = sum_j w_kj G_j (G_j^0)^-1 v_k^0,
/// where G_j are the global transforms of the pose and G_j^0 those of the rest pose. Tensors: those of SkinWeights.
class LinearBlend final : public Deformer {
public:
    explicit LinearBlend(std::shared_ptr<const TensorFile> tensors);

    std::unique_ptr<Linearizer> linearizer() const override;

private:
    class BlendLinearizer;
    class BlendLinearization;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    void do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<SessionState> new_session_state() const override;

    void add_vertex_jacobian(std::int64_t vertex, const float* pose, const float* globals,
                             View<float, 2> jacobian) const;
    std::size_t transforms_size() const { return 12 * static_cast<std::size_t>(character().skeleton.num_joints()); }

    SkinWeights skin_;
    float transform_limit_;  // of skinning transforms; beyond it, vertices may overflow
};

}  // namespace rigcast::rig
