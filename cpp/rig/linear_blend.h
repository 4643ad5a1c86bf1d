#pragma once
#include <memory>

#include "rig/deformer.h"
#include "rig/skin_weights.h"

namespace rigwright::rig {

/// Linear blend skinning: v_k = sum_j w_kj G_j (G_j^0)^-1 v_k^0 (Magnenat-Thalmann et al. 1988), G_j the
/// global transforms of the pose.
class LinearBlend final : public Deformer {
public:
    explicit LinearBlend(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;

    SkinWeights skin_;
    float transform_limit_;  // beyond, vertices may overflow
};

}  // namespace rigwright::rig
