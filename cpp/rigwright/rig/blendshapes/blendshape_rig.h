#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rigwright/rig/blendshapes/drivers.h"
#include "rigwright/rig/blendshapes/grouped_columns.h"
#include "rigwright/rig/deformer.h"

namespace rigwright::rig {

/// Which part of a rig each head uses: the first `length` shapes of an order of importance, and the corrections all of
/// whose shapes are among them.
struct Prefix {
    View<const std::int32_t, 1> order;   // (K) shapes, most important first
    View<const std::int32_t, 1> length;  // (T), 0 ... K
};

/// Throws ArgumentError if the order is no permutation of the shapes, or there is not one length in range a head.
void check_prefix(const Prefix& prefix, std::int64_t num_shapes, std::int64_t num_heads);

/// K blendshapes with corrections of any order (Rackovic et al. 2022, eq. 3, for any number of drivers):
///   v(w) = v^0 + sum_k w_k b_k + sum_c (prod_{f in drivers(c)} phi_f(w)) b_c,
/// phi_f a weight or a tent over it (see Driver). Columns are the K shapes, then the corrections; the activation of
/// a column is what its offsets are multiplied by. A pose row is the K weights: there are no joints. Weights outside
/// their bounds are evaluated as they are, as far as everything surely fits float32 (pose_limit). A shape that moves
/// nothing is fine: its weight has no effect of its own.
///
/// Tensors beside rest_vertices, faces (F may be 0) and control_ranges (the bounds): those of Drivers and
/// GroupedColumns. Metadata: joint_names empty, numeric_controls the names of the shapes, and where some columns were
/// constructed, the list of their names under "constructed"; optionally the corrections' names, "combination_names".
class BlendshapeRig final : public Deformer {
public:
    /// Throws ArgumentError naming the tensor that is missing, malformed or out of range.
    explicit BlendshapeRig(std::shared_ptr<const TensorFile> tensors);

    std::int64_t num_shapes() const { return character().num_controls(); }
    std::int64_t num_columns() const { return grouped_.num_columns(); }
    /// (K, 2) lowest and highest weight of each shape.
    View<const float, 2> bounds() const { return character().control_ranges; }
    /// Drivers of a correction; correction c is column num_shapes() + c.
    std::span<const Driver> drivers(std::int64_t correction) const { return drivers_.of(correction); }
    /// Writes the dense (V, 3) offsets of column n. Throws ArgumentError if there is no such column.
    void column(std::int64_t n, View<float, 2> delta) const;
    /// Writes the N activations of K weights.
    void activations(View<const float, 1> weights, View<float, 1> columns) const;

    /// As Deformer::evaluate, for a part of the rig a head. Throws ArgumentError if `order` is no permutation of the
    /// shapes or a length is out of range.
    void evaluate_prefix(View<const float, 2> weights, const Prefix& prefix, View<float, 3> vertices,
                         int threads) const;

    /// A power of two: weights up to it make no activation and no coordinate larger than half of what float32 holds.
    float pose_limit() const override { return weight_limit_; }
    /// Names of the columns that were constructed, not sculpted: metadata.constructed.
    const std::vector<std::string>& constructed() const { return constructed_; }
    const GroupedColumns& grouped() const { return grouped_; }
    /// Bytes that the rig holds, its neutral and topology included.
    std::int64_t num_bytes() const;

private:
    friend class BlendshapeSession;
    struct Workspace;
    struct GradientMemory;

    /// What `run` makes vertices of: base + sum_n activation_n b_n. The activations are those of the weights, or with
    /// tangents their derivatives.
    struct Heads {
        View<const float, 2> weights;
        const float* base;  // (3 V)
        const Prefix* prefix = nullptr;
        const View<const float, 2>* tangents = nullptr;
    };

    float find_weight_limit() const;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<SessionState> new_session_state() const override;
    void run(const Heads& heads, View<float, 3> vertices, int threads) const;
    void activate(const Heads& heads, std::int64_t head, std::int64_t count, const Workspace& space) const;
    void activations_of(const Heads& heads, std::int64_t head, float* activations) const;
    void cut(const std::int32_t* rank, std::int32_t length, float* activations) const;
    void evaluate_side_by_side(const Workspace& space, const float* base, std::int64_t window, std::int64_t heads,
                               float* vertices) const;
    void evaluate_each(const Workspace& space, const float* base, std::int64_t window, std::int64_t heads,
                       float* vertices) const;
    void add_columns(const float* cotangents, std::int64_t window, const GradientMemory& memory,
                     std::int64_t piece) const;
    void add_up(const float* weights, const GradientMemory& memory, std::int64_t piece, std::int64_t parts,
                float* gradient) const;

    Drivers drivers_;
    GroupedColumns grouped_;
    std::vector<std::string> constructed_;
    float weight_limit_;
};

}  // namespace rigwright::rig
