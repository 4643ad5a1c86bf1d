#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rigcast/baseline/models/forward_only.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::baseline {

/// Weighted pose space deformation (Lewis et al. 2000; Kurihara and Miyata 2004): skinning of the rest mesh with
/// offsets that are interpolated between E example poses by distances of the vertex's own,
///   v_k = sum_j w_kj G_j (G_j^0)^-1 (v_k^0 + d_k),   d_k = sum_e exp(-sum_i a_ki D_(i)e / 2) c_ke,
///   D_ge = sum_(c in group g) (s_c x_c - y_ce)^2,
/// over groups g of pose columns c, a joint or a control each. Without joints, v_k = v_k^0 + d_k.
///
/// Tensors: space.offset I32[G + 1] into space.column I32[M], space.scale F32[M] s and space.example F32[E, M] y;
/// space.group I32[V, K] and space.weight F32[V, K] a >= 0; space.delta F32[V, E, 3] c; with joints, those of
/// SkinWeights.
class PoseSpace final : public ForwardOnly {
public:
    /// Throws ArgumentError if a tensor is missing, sizes do not fit, an index is out of range, or a weight is
    /// negative.
    explicit PoseSpace(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;

    struct Memory;
    std::size_t memory_size() const;
    std::int64_t num_groups() const { return offset_.extent(0) - 1; }
    std::int64_t num_examples() const { return example_.extent(0); }
    void prepare(std::int64_t frame, const float* pose, const Memory& memory) const;
    double kernel(std::int64_t vertex, std::int64_t example, const float* distances) const;
    void point(std::int64_t vertex, const float* distances, float* out) const;

    View<const std::int32_t, 1> offset_;
    View<const std::int32_t, 1> column_;
    View<const float, 1> scale_;
    View<const float, 2> example_;
    View<const std::int32_t, 2> group_;
    View<const float, 2> weight_;
    View<const float, 3> delta_;
    std::optional<rig::SkinWeights> skin_;
};

}  // namespace rigcast::baseline
