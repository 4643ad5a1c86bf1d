#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rig/deformer.h"

namespace rigwright::rig {

/// Skin weights: K joints a vertex, weights >= 0 that sum to 1. Tensors skin.joint I32[V, K], skin.weight
/// F32[V, K].
struct SkinWeights {
    /// Throws ArgumentError on a joint out of range, a negative weight, or a sum off 1 by more than 1e-3.
    explicit SkinWeights(const Character& character);

    View<const std::int32_t, 2> joint;
    View<const float, 2> weight;
};

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
};

}  // namespace rigwright::rig
