#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/character.h"

namespace rigcast::rig {

/// Skin weights: nonnegative, with sum 1 at every vertex. Zero weights are dropped; the largest weight of a vertex
/// comes first. Tensors: skin.joint I32[V, K] and skin.weight F32[V, K], K influences per vertex.
class SkinWeights {
public:
    /// Throws ArgumentError if a joint is out of range, a weight is negative, or a sum differs from 1 by more than
    /// 1e-3.
    explicit SkinWeights(const Character& character) : SkinWeights(character, character.num_vertices()) {}
    /// The same for a model that skins other vertices than its own (MushMesh).
    SkinWeights(const Character& character, std::int64_t num_vertices)
        : SkinWeights(*character.tensors, num_vertices, character.skeleton.num_joints()) {}
    /// The same for a model whose vertices follow other transforms than its joints', `num_joints` of them.
    SkinWeights(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_joints);

    std::int64_t num_vertices() const { return static_cast<std::int64_t>(offset_.size()) - 1; }

    /// Vertex k has the influences begin(k) to before begin(k + 1).
    std::int32_t begin(std::int64_t k) const { return offset_[k]; }
    std::int32_t joint(std::int32_t influence) const { return joint_[influence]; }
    float weight(std::int32_t influence) const { return weight_[influence]; }

    /// Writes the vertices [first, last) of out (V, 3): sum_j w_kj T_j v_k, for transforms T (J, 3, 4) and vertices v
    /// (V, 3).
    void blend(const float* transforms, const float* vertices, std::int64_t first, std::int64_t last, float* out) const;
    /// The same for one point with the weights of vertex k.
    void blend_point(const float* transforms, std::int64_t k, const float* point, float* out) const {
        float blended[12] = {};
        for (std::int32_t i = offset_[k]; i < offset_[k + 1]; ++i) {
            const float* m = transforms + 12 * joint_[i];
            for (int e = 0; e < 12; ++e) blended[e] += weight_[i] * m[e];
        }
        apply(blended, point, out);
    }
    /// The vector-Jacobian product of blend: adds the gradient of sum(out * cotangents) with respect to the transforms
    /// to `gradient` (J, 3, 4).
    void blend_vjp(const float* vertices, const float* cotangents, float* gradient) const;

private:
    std::vector<std::int32_t> offset_{0};
    std::vector<std::int32_t> joint_;
    std::vector<float> weight_;
};

/// Adds skin.joint and skin.weight with the rows of the given vertices of `source` to a file.
void add_skin_rows(const TensorFile& source, View<const std::int32_t, 1> vertices, TensorFile* file);

/// Writes the global transforms G_j of a pose and the skinning transforms G_j (G_j^0)^-1; 12 J floats each.
void skinning_transforms(const Skeleton& skeleton, const float* pose, float* globals, float* skinning);
/// Writes the derivatives of both along `tangent` (C), given the global transforms of the pose.
void skinning_jvp(const Skeleton& skeleton, const float* pose, const float* globals, const float* tangent,
                  float* globals_derivative, float* skinning_derivative);
/// The vector-Jacobian product: writes the gradient with respect to a pose's C columns (0 for numeric controls) from
/// the gradient with respect to its skinning transforms, which is overwritten.
void skinning_vjp(const Skeleton& skeleton, const float* pose, const float* globals, float* skinning_gradient,
                  std::int64_t num_columns, float* pose_gradient);

}  // namespace rigcast::rig
