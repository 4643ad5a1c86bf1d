#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rigcast/rig/blendshapes/drivers.h"
#include "rigcast/rig/blendshapes/grouped_columns.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::rig {

/// The part of a rig that each frame uses (level of detail): the first `length` shapes of an order of importance, and
/// the corrections whose shapes are all among them.
struct Prefix {
    View<const std::int32_t, 1> order;   // (K) shapes, most important first
    View<const std::int32_t, 1> length;  // (T) 0 to K
};

/// Throws ArgumentError, which names `function`, if the order is no permutation of the shapes, or the lengths are not
/// one per frame within 0 to K.
void check_prefix(const char* function, const Prefix& prefix, std::int64_t num_shapes, std::int64_t num_frames);

/// K blendshapes with corrections of any order (Rackovic et al. 2022, eq. 3, for any number of drivers):
///   v(w) = v^0 + sum_k w_k b_k + sum_c (prod_{f in drivers(c)} phi_f(w)) b_c,
/// where phi_f is a weight or a tent over it (see Driver). A pose of this deformer is the K weights: there are no
/// joints. Columns are the K shapes, then the corrections; N is their number. A column's activation is what multiplies
/// its offsets. Weights outside their bounds are not clamped; beyond pose_limit() they are refused. A shape may move
/// nothing: then it acts only as a driver.
///
/// Tensors: rest_vertices (the neutral v^0), faces (F may be 0), control_ranges (the bounds), those of Drivers and
/// those of GroupedColumns. Metadata: joint_names is empty and numeric_controls names the shapes; optional are
/// "constructed", the names of columns that nobody sculpted, and "combination_names", the names of the corrections.
///
/// Example: a rig of two shapes and the correction of both, from arrays.
/// ```cpp
/// const std::vector<float> neutral(3 * vertices), deltas(2 * 3 * vertices), both(3 * vertices);
/// rig::DenseBlendshapes dense{{neutral.data(), {vertices, 3}}, {deltas.data(), {2, vertices, 3}}};
/// dense.combinations = {{{{0}, {1}}, {both.data(), {vertices, 3}}}};
/// const auto face = rig::make_blendshape_rig(dense);
/// face->save("face.safetensors");
/// ```
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

    /// As Deformer::evaluate, with a part of the rig per frame. Throws what `evaluate` and check_prefix throw.
    void evaluate_prefix(View<const float, 2> weights, const Prefix& prefix, View<float, 3> vertices,
                         int threads) const;

    /// The largest magnitude of a weight that surely overflows nothing: a power of two at which every activation and
    /// coordinate stays below half of the largest float32; 0 if the offsets are too large for any.
    float pose_limit() const override { return weight_limit_; }
    /// Names of the columns that were constructed, not sculpted: metadata.constructed.
    const std::vector<std::string>& constructed() const { return constructed_; }
    const GroupedColumns& grouped() const { return grouped_; }
    /// Bytes of memory used, tensors included.
    std::int64_t num_bytes() const;

private:
    friend class BlendshapeSession;
    struct Lists;
    struct SerialMemory;
    struct LaneMemory;
    struct GradientMemory;

    /// What evaluate_batch computes for T frames: base + sum_n activation_n b_n.
    struct Batch {
        View<const float, 2> weights;                    // (T, K)
        const float* base;                               // (V, 3): the neutral; zeros for derivatives
        const Prefix* prefix = nullptr;                  // optional
        const View<const float, 2>* tangents = nullptr;  // (T, K): use the activations' derivatives along them
    };
    /// Frames and windows that one body of parallel_for evaluates.
    struct Part {
        std::int64_t first_frame;
        std::int64_t num_frames;
        std::int64_t first_window;
        std::int64_t last_window;  // not included
        bool non_temporal;         // how vertices are stored
    };

    float find_weight_limit() const;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<SessionState> new_session_state() const override;
    void evaluate_batch(const Batch& batch, View<float, 3> vertices, int threads) const;
    void evaluate_in_lanes(const Batch& batch, const Part& part, View<float, 3> vertices) const;
    void evaluate_window(const Batch& batch, const Part& part, std::int64_t window, const LaneMemory& memory,
                         float* vertices) const;
    void evaluate_serially(const Batch& batch, const Part& part, View<float, 3> vertices) const;
    void activate(const Batch& batch, std::int64_t frame, const std::int32_t* rank, float* activations,
                  std::uint32_t* used) const;
    void clear_unused(const std::int32_t* rank, std::int32_t length, float* activations) const;
    void add_column_gradients(const float* cotangents, std::int64_t first_window, const GradientMemory& memory,
                              std::int64_t item) const;
    void sum_gradients(const float* weights, const GradientMemory& memory, std::int64_t first_item,
                       std::int64_t items_per_frame, float* gradient) const;

    Drivers drivers_;
    GroupedColumns grouped_;
    std::vector<std::string> constructed_;
    float weight_limit_;
};

}  // namespace rigcast::rig
