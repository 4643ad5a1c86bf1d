#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "rig/deformer.h"
#include "rig/factors.h"
#include "rig/grouped_columns.h"

namespace rigwright::rig {

/// Which part of a rig each head uses: the first `length` shapes of an order of importance, and the corrections all of
/// whose shapes are among them.
struct Prefix {
    View<const std::int32_t, 1> order;   // (K) shapes, most important first
    View<const std::int32_t, 1> length;  // (T), 0 ... K
};

/// K blendshapes with corrections of any order (Rackovic et al. 2022, eq. 3, for any number of factors):
///   v(w) = v^0 + sum_k w_k b_k + sum_c (prod_{f in factors(c)} phi_f(w)) b_c,
/// phi_f a weight or a tent over it (see Factor). Columns are the K shapes, then the corrections; the activation of
/// a column is what its offsets are multiplied by. A pose row is the K weights: there are no joints. Weights outside
/// their bounds are evaluated as they are. A shape that moves nothing is fine: its weight has no effect of its own.
///
/// Tensors beside rest_vertices, faces (F may be 0) and control_ranges (the bounds): those of Factors and
/// GroupedColumns.
class BlendshapeRig final : public Deformer {
public:
    /// Throws ArgumentError naming the tensor that is missing, malformed or out of range.
    explicit BlendshapeRig(std::shared_ptr<const TensorFile> tensors);

    std::int64_t num_shapes() const { return character().num_controls(); }
    std::int64_t num_columns() const { return grouped_.num_columns(); }
    /// (K, 2) lowest and highest weight of each shape.
    View<const float, 2> bounds() const { return character().control_ranges; }
    /// Factors of a correction; correction c is column num_shapes() + c.
    std::span<const Factor> factors(std::int64_t correction) const { return factors_.of(correction); }
    /// Writes the dense (V, 3) offsets of column n. Throws ArgumentError if there is no such column.
    void column(std::int64_t n, View<float, 2> delta) const;
    /// Writes the N activations of K weights.
    void activations(View<const float, 1> weights, View<float, 1> columns) const;

    /// As Deformer::evaluate, for a part of the rig a head. Throws ArgumentError if `order` is no permutation of the
    /// shapes or a length is out of range.
    void evaluate_prefix(View<const float, 2> weights, const Prefix& prefix, View<float, 3> vertices,
                         int threads) const;

    const GroupedColumns& grouped() const { return grouped_; }
    /// Bytes that the rig holds, its neutral and topology included.
    std::int64_t num_bytes() const;

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void check_prefix(const Prefix& prefix, std::int64_t heads) const;
    void run(View<const float, 2> weights, const Prefix* prefix, View<float, 3> vertices, int threads) const;
    void evaluate_windows(const float* activations, std::int64_t first, std::int64_t last, float* vertices) const;
    void column_gradients(const float* cotangents, std::int64_t first, std::int64_t last, float* gradients) const;

    Factors factors_;
    GroupedColumns grouped_;
};

}  // namespace rigwright::rig
