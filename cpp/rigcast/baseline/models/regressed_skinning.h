#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/baseline/models/feature_map.h"
#include "rigcast/baseline/models/forward_only.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::baseline {

/// Linear blend skinning by B bones that no skeleton drives: their motions are regressed from the pose.
///   v_k = sum_b w_kb S_b v_k^0,   S_b = M_b L_b,   L_b p = R_b (p - c_b) + c_b + d_b.
/// FeatureMap gives twelve numbers [A_b | d_b] (3, 4) per bone; R_b is the rotation nearest to A_b. M_b is the skinning
/// transform G_j (G_j^0)^-1 of the joint j that the bone is attached to, or the identity.
///
/// Tensors: those of FeatureMap with R = 12 B; bone.center F32[B, 3] c; bone.joint I32[B], -1 for none; skin.joint
/// I32[V, K] (bones) and skin.weight F32[V, K] as in SkinWeights.
class RegressedSkinning final : public ForwardOnly {
public:
    /// Throws ArgumentError if a tensor is missing, sizes do not fit, or an index is out of range.
    explicit RegressedSkinning(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;

    struct Memory;
    std::size_t memory_size() const;
    std::int64_t num_bones() const { return static_cast<std::int64_t>(joint_.size()); }
    void prepare(std::int64_t frame, const float* pose, const Memory& memory) const;

    FeatureMap map_;
    std::vector<float> center_;        // (B, 3)
    std::vector<std::int32_t> joint_;  // (B)
    rig::SkinWeights skin_;
    float transform_limit_;
};

}  // namespace rigcast::baseline
