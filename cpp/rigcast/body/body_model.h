#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/body/patch/patch.h"
#include "rigcast/network/dense.h"
#include "rigcast/rig/character.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::body {

/// Magnitudes up to which an evaluation cannot overflow, bounded from the magnitudes of a model's constants. The bound
/// exists since activations of the hidden layers are at most 1 (tanh), so that the coefficients of the basis, and with
/// them the offsets, are bounded for every pose.
struct Limits {
    /// Of pose values: beyond it, sums of the first layer may overflow.
    float pose = 0.0f;
    /// Of the entries of global transforms: beyond it, vertices may overflow. It is -1 if they may overflow for every
    /// transform: rig::check_overflow then refuses all poses.
    float transform = -1.0f;
};

/// The limits of a body model, whose tensors must have been checked.
Limits find_limits(const rig::Character& character);

/// One vertex set of a BodyModel: gather inputs, three dense layers, patch. A set without inputs or coefficients has no
/// network; its vertices only follow their joint.
struct VertexSet {
    std::int32_t joint = 0;
    std::vector<std::int32_t> column;     // pose columns that are inputs; empty without a network
    std::array<network::Dense, 3> layer;  // unused without a network
    Patch patch;
    std::int64_t coefficients_begin = 0;  // offset among the coefficients of all sets
    std::int64_t results_begin = 0;       // offset among the results of all sets

    /// The results of a set's vjp: the gradient of its transform (12 floats, padded), then of its inputs (padded).
    static constexpr int transform_size = 16;
    std::int64_t results_size() const { return transform_size + (has_network() ? layer[0].padded_inputs() : 0); }

    bool has_network() const { return !column.empty(); }
    /// Floats of its widest row: inputs or outputs of a layer, padded.
    int width() const;
    /// Writes the inputs of `num_frames` poses.
    void gather(Rows<const float> poses, Rows<float> inputs, int num_frames) const;
};

/// The beginning of the names of a set's tensors: "set.007.".
std::string set_name(std::int64_t index);

/// Reads and checks the sets of a body model, and packs their constants in the order of evaluation. Throws
/// ArgumentError that names the tensor that is missing, malformed or out of range.
std::vector<VertexSet> read_vertex_sets(const rig::Character& character, Packed& packed);

/// The learned body (Bailey et al. 2018, extended by a partition of unity over overlapping vertex sets). Each vertex
/// set i follows a joint and adds offsets that its network predicts in the joint's coordinates:
///   v_k = sum_i a_ki [X_i (rest_ik + n_ik) + t_i],   rest_ik = (X_i^0)^-1 (v_k^0 - t_i^0),
///   n_i = basis_i (W3 tanh(W2 tanh(W1 x_i + b1) + b2) + b3) + mean_i,
/// where x_i are the set's input columns of the pose, and (X_i, t_i) is the global transform of its joint.
///
/// Tensors (S sets; set i has M_i vertices, n_i inputs and r_i coefficients; "000" is the set's index):
///   sets.joint I32[S]; sets.offset I32[S + 1] into sets.vertex I32[M], ascending inside a set, and sets.weight F32[M],
///   the a_ki, with sum 1 over the sets of a vertex; inputs.offset I32[S + 1] into inputs.column I32[N];
///   set.000.layer1.weight F32[H1, n], set.000.layer1.bias F32[H1], set.000.layer2.weight F32[H2, H1],
///   set.000.layer2.bias F32[H2], set.000.layer3.weight F32[r, H2], set.000.layer3.bias F32[r],
///   set.000.basis F32[3 M_i, r], set.000.mean F32[3 M_i].
/// A set without inputs has r = 0; a set with r = 0 has no layers.
///
/// Metadata: network_storage (optional) is "float32", "16-bit" or "int8", and int8_tensors (with "int8") names the
/// matrices that are int8: see MatrixStorage. Products are in float32. The file always has float32.
///
/// Example: the same body in half of the memory.
/// ```cpp
/// const body::BodyModel model(std::make_shared<const TensorFile>(TensorFile::read("hero.safetensors")));
/// const auto smaller = model.stored("16-bit");
/// const std::int64_t saved = model.num_bytes() - smaller->num_bytes();
/// ```
class BodyModel final : public rig::Deformer {
public:
    /// Throws ArgumentError that names the tensor that is missing, malformed or out of range.
    explicit BodyModel(std::shared_ptr<const TensorFile> tensors);

    const std::vector<VertexSet>& sets() const { return sets_; }
    /// The constants of the sets.
    const Packed& packed() const { return packed_; }
    /// The same model with another network_storage. Throws ArgumentError unless it is "float32" or "16-bit".
    std::shared_ptr<BodyModel> stored(const std::string& storage) const;
    /// The same model with network_storage "int8": matrices in int8, others in 16 bits, so that the vertices of `poses`
    /// (T, C) are on average at most `max_error` from those of the model in float32; see choose_int8. Throws
    /// ArgumentError if a pose is not valid or max_error is negative.
    std::shared_ptr<BodyModel> stored_int8(View<const float, 2> poses, double max_error) const;
    /// The model's mean error on held-out poses, from the tensor error.mean F32[V]. Throws ArgumentError if there is
    /// none.
    double own_error() const;
    /// The largest |w - stored w| over the weights of all layers and the numbers of all bases.
    float storage_error() const;
    /// Bytes of the constants that an evaluation reads.
    std::int64_t num_bytes() const { return static_cast<std::int64_t>(packed_.num_bytes()); }
    float pose_limit() const override { return limits_.pose; }
    std::unique_ptr<rig::Linearizer> linearizer() const override;

private:
    friend class BodySession;
    struct Workspace;
    class JacobianOfPose;
    class BodyLinearizer;
    class BodyLinearization;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    void do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<rig::SessionState> new_session_state() const override;

    /// The basis (3 M, r) of a set as it is stored in memory, in the order of the file.
    std::vector<float> basis_of(std::int64_t set) const;

    // These process a batch of `num_frames` frames. With several threads, vertex sets run in parallel. Results do not
    // depend on the batch or on the threads. `first_frame` is for error texts.
    void evaluate_batch(std::int64_t first_frame, Rows<const float> poses, Rows<float> vertices, int num_frames,
                        int threads) const;
    void run_network(const VertexSet& set, Rows<const float> poses, Rows<float> coefficients, Rows<float> work,
                     int num_frames) const;
    void jvp_batch(Rows<const float> poses, Rows<const float> tangents, Rows<float> derivatives, int num_frames) const;
    void vjp_batch(Rows<const float> poses, Rows<const float> cotangents, Rows<float> gradients, int num_frames,
                   int threads) const;
    void vjp_set(const VertexSet& set, Rows<const float> poses, Rows<const float> transforms,
                 Rows<const float> cotangents, Rows<float> results, float* memory, int num_frames) const;

    Packed packed_;
    std::vector<VertexSet> sets_;
    Limits limits_;
    // Sizes per frame, over all sets.
    std::int64_t width_ = 0;             // floats of the widest layer or input, padded
    std::int64_t num_added_ = 0;         // added contributions; see Patch
    std::int64_t num_coefficients_ = 0;  // padded
    std::int64_t num_results_ = 0;       // floats of VertexSet::results_size
};

}  // namespace rigcast::body
