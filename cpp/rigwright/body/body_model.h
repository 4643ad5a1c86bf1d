#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigwright/body/limits.h"
#include "rigwright/body/vertex_set.h"
#include "rigwright/rig/deformer.h"

namespace rigwright::body {

/// The learned body (Bailey et al. 2018, with a partition of unity over overlapping vertex sets): each set of
/// vertices follows a joint and adds what a network of its own predicts in the joint's frame,
///   v_k = sum_i a_ki [X_i (rest_ik + n_ik) + t_i],   rest_ik = (X_i^0)^-1 (v_k^0 - t_i^0),
///   n_i = basis_i (W3 tanh(W2 tanh(W1 x_i + b1) + b2) + b3) + mean_i,
/// x_i the pose columns that are inputs of the set, X_i and t_i the global transform of its joint.
///
/// Tensors of S sets (three digits in a name are the set's index): sets.joint I32[S]; sets.offset I32[S + 1]
/// into sets.vertex I32[M] (ascending inside a set) and sets.weight F32[M] (a, of sum 1 over the sets of a
/// vertex); inputs.offset I32[S + 1] into inputs.column I32[N]; set.000.layer1.weight F32[H1, n],
/// .layer1.bias F32[H1], .layer2.weight F32[H2, H1], .layer2.bias F32[H2], .layer3.weight F32[r, H2],
/// .layer3.bias F32[r], set.000.basis F32[3 M_i, r], set.000.mean F32[3 M_i]. A set without inputs has r = 0;
/// one with r = 0 has no layers. Metadata: network_storage (optional), "float32" or "16-bit": weights of layers are
/// then kept in 16 bits, in the format with the smaller error for each matrix, and widened to float32 in products. The
/// file keeps them as float32.
class BodyModel final : public rig::Deformer {
public:
    /// Throws ArgumentError naming the tensor that is missing, malformed or out of range.
    explicit BodyModel(std::shared_ptr<const TensorFile> tensors);

    const std::vector<VertexSet>& sets() const { return sets_; }
    /// The constants of the sets.
    const Packed& packed() const { return packed_; }
    /// The same model with another network_storage. Throws ArgumentError unless it is "float32" or "16-bit".
    std::shared_ptr<BodyModel> stored(const std::string& storage) const;
    /// The largest |w - stored w| of all layers' weights.
    float storage_error() const;
    /// Bytes of the constants that evaluation reads.
    std::int64_t num_bytes() const { return static_cast<std::int64_t>(packed_.num_bytes()); }
    float pose_limit() const override { return limits_.pose; }

private:
    friend class BodySession;
    struct Workspace;
    class JacobianOfPose;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    void do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<rig::SessionState> new_session_state() const override;

    // Of `count` poses, with the sets side by side on several threads; the results do not depend on either.
    // `begin` is the row of the first one, for errors.
    void evaluate_block(std::int64_t begin, Rows<const float> poses, Rows<float> vertices, int count,
                        int threads) const;
    void run_network(const VertexSet& set, Rows<const float> poses, Rows<float> coefficients, Rows<float> work,
                     int count) const;
    void jvp_block(Rows<const float> poses, Rows<const float> tangents, Rows<float> derivatives, int count) const;
    void vjp_block(Rows<const float> poses, Rows<const float> cotangents, Rows<float> gradients, int count,
                   int threads) const;
    void vjp_set(const VertexSet& set, Rows<const float> poses, Rows<const float> transforms,
                 Rows<const float> cotangents, Rows<float> results, float* memory, int count) const;

    Packed packed_;
    std::vector<VertexSet> sets_;
    Limits limits_;
    std::int64_t width_ = 0;         // widest row of a set's evaluation
    std::int64_t late_ = 0;          // contributions of all sets that come after a vertex's first
    std::int64_t coefficients_ = 0;  // of all sets, padded, for a pose
    std::int64_t results_ = 0;       // gradients of all sets, for a pose
};

}  // namespace rigwright::body
