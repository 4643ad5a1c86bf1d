#pragma once
#include "rigcast/differential/model/tail.h"

namespace rigcast::differential {

/// A tail as one dense product per frame.
class FoldedTail final : public Tail {
public:
    /// B (3 V, R), M (V, A), and m (3 V) plus the rest vertices.
    FoldedTail(View<const float, 2> basis, View<const float, 2> anchor, View<const float, 1> constant, bool in_16_bits);

    std::int64_t num_coefficients() const override { return map_.num_coefficients; }
    std::int64_t num_anchors() const override { return map_.num_anchors; }
    bool is_folded() const override { return true; }
    float storage_error() const override { return map_.storage_error; }
    std::int64_t num_bytes() const override { return static_cast<std::int64_t>(packed_.num_bytes()); }
    Folded folded() const override;
    std::size_t memory_size(int count) const override;
    void evaluate(Rows<const float> coefficients, Rows<const float> anchors, Rows<float> points, int count,
                  bool with_constant, float* memory, int threads) const override;
    void vjp(const float* cotangents, float* coefficient_gradient, float* anchor_gradient,
             float* memory) const override;
    void add_restricted(View<const std::int32_t, 1> vertices, TensorFile& file) const override;

private:
    Folded rows_of(View<const std::int32_t, 1> vertices) const;

    Packed packed_;
    AffineTail map_;
};

}  // namespace rigcast::differential
