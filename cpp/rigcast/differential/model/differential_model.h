#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rigcast/differential/model/relu_networks.h"
#include "rigcast/differential/model/tail.h"
#include "rigcast/rig/blendshapes/base_shapes.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::differential {

/// A learned face or body in a differential subspace (Song et al. 2020): linear transforms of displaced rest vertices,
///   v_k = T_k(x) (v_k^0 + o_k(x) + d_k),   T_k(x) = sum_j w_kj G_j (G_j^0)^-1,
/// where the displacements d solve the least squares problem of Reconstructor for delta coordinates U z + mu. A network
/// with relu predicts the coefficients z from the pose, and small networks predict the displacements of the anchors.
/// The offsets o are those of the base (rig::BaseShapes), 0 without one.
///
/// Tensors: those of read_tail; inputs.column I32[n], network.layer1.weight F32[H1, n], .bias F32[H1],
/// network.layer2... to the last, which has R outputs; with S anchor networks of D layers: anchors.offset I32[S + 1]
/// into the A anchors, anchors.input.offset I32[S + 1] into anchors.column I32[N], anchors.layer1.weight F32[N, H] (per
/// input, the weights of the H units of its network), anchors.layer1.bias F32[S, H], anchors.layer2.weight F32[S, H,
/// H], .bias F32[S, H] ... and the last layer F32[3 A, H], .bias F32[3 A]. With skin.joint and skin.weight those of
/// SkinWeights; without, T is the identity. Metadata: network_storage, tail and laplacian (see read_tail); transforms
/// says where T comes from.
class DifferentialModel final : public rig::Deformer {
public:
    /// Throws ArgumentError that names the tensor that is missing, malformed or out of range.
    explicit DifferentialModel(std::shared_ptr<const TensorFile> tensors);

    std::int64_t num_coefficients() const { return tail_->num_coefficients(); }
    std::int64_t num_anchors() const { return tail_->num_anchors(); }
    const Tail& tail() const { return *tail_; }
    /// One network: of the coefficients.
    const ReluNetworks& network() const { return network_; }
    const ReluNetworks& anchors() const { return anchors_; }
    /// Of the linear transforms; none if they are the identity.
    const std::optional<rig::SkinWeights>& skin() const { return skin_; }
    const std::optional<rig::BaseShapes>& base() const { return base_; }
    /// The largest difference of a stored weight, of networks or tail, from its float32 value.
    float storage_error() const;
    /// Bytes of the constants that an evaluation reads.
    std::int64_t num_bytes() const;

private:
    friend class DifferentialSession;
    struct Memory;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    std::shared_ptr<rig::Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<rig::SessionState> new_session_state() const override;

    void predict(const char* function, std::int64_t frame, network::Rows<const float> poses, const Memory& memory,
                 int count) const;
    void add_base(const char* function, std::int64_t frame, View<const float, 2> poses, float* points,
                  int threads) const;
    void add_base_tangents(std::int64_t t, View<const float, 2> poses, View<const float, 2> tangents,
                           float* changes) const;
    void transform(std::int64_t frame, const float* pose, float* points, float* transforms, int threads) const;

    ReluNetworks network_;
    ReluNetworks anchors_;
    std::unique_ptr<const Tail> tail_;
    std::optional<rig::SkinWeights> skin_;
    std::optional<rig::BaseShapes> base_;
};

/// The same model with other metadata entries: "network_storage" ("float32" or "16-bit") or "tail" ("folded" or
/// "factorized"). Throws ArgumentError as the constructor, and if a restricted model is asked for another tail.
std::shared_ptr<DifferentialModel> with_entry(const DifferentialModel& model, const std::string& key,
                                              const std::string& value);

/// The same model with the first `components` components of its basis, which has them by falling variance: fewer bytes,
/// larger errors. Throws ArgumentError unless `components` is from 1 to num_coefficients().
std::shared_ptr<DifferentialModel> reduced(const DifferentialModel& model, std::int64_t components);

}  // namespace rigcast::differential
