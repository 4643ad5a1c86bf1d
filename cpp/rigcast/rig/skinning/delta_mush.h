#pragma once
#include <memory>
#include <vector>

#include "rigcast/mesh/smoothing.h"
#include "rigcast/mesh/vertex_frames.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/skinning/mush_mesh.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::rig {

/// Delta mush (Mancewicz et al. 2014, "Delta mush: smoothing deformations while preserving detail"): linear blend
/// skinning gives u, Laplacian smoothing s = S u; then the detail that smoothing removes from the rest mesh is added
/// back in the tangent frames F of the smoothed surface:
///   v_k = s_k + F_k(s) d_k,   d_k = F_k(s^0)^T (v_k^0 - s_k^0).
/// A vertex without a tangent frame (such as a loose one) keeps u_k.
///
/// Metadata: `iterations` (0 to 1000) and `step` (above 0, at most 1) of the smoothing. Tensors: those of MushMesh, and
/// those of SkinWeights for its S vertices. A restricted model contains all vertices that the smoothing of its own
/// vertices depends on: S is between V and the size of the whole mesh.
class DeltaMush final : public Deformer {
public:
    explicit DeltaMush(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;

    struct Memory;
    Memory lease() const;
    void smooth_pose(const float* pose, const Memory& memory) const;
    void add_detail(const float* points, const float* frames, const float* blended, float* out) const;
    const float* scatter_cotangents(const float* cotangents, const Memory& memory) const;
    void smoothed_vjp(const float* cotangents, const Memory& memory) const;
    void smoothed_jvp(const float* pose, const float* tangent, const Memory& memory) const;

    MushMesh mesh_;
    SkinWeights skin_;
    mesh::Smoothing smoothing_;
    std::vector<float> smooth_rest_;
    mesh::VertexFrames frames_;
    std::vector<float> details_;  // (S, 3) d
};

}  // namespace rigcast::rig
