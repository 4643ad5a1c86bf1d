#pragma once
#include "rigcast/differential/model/tail.h"
#include "rigcast/differential/reconstructor.h"

namespace rigcast::differential {

/// A tail as a product with the basis of delta coordinates, then a solve: less memory than a FoldedTail if there are
/// many anchors.
class FactorizedTail final : public Tail {
public:
    /// U (3 N, R) and mu (3 N) of the reconstructor's mesh (F, 4); `vertices` are those of the model, with `rest` (V,
    /// 3). The views must outlive the tail.
    FactorizedTail(std::unique_ptr<const Reconstructor> reconstructor, View<const std::int32_t, 2> faces,
                   View<const float, 2> basis, View<const float, 1> mean, std::vector<std::int32_t> vertices,
                   View<const float, 2> rest, bool in_16_bits);

    std::int64_t num_coefficients() const override { return map_.num_coefficients; }
    std::int64_t num_anchors() const override { return static_cast<std::int64_t>(reconstructor_->anchors().size()); }
    bool is_folded() const override { return false; }
    float storage_error() const override { return map_.storage_error; }
    std::int64_t num_bytes() const override;
    Folded folded() const override;
    std::size_t memory_size(int count) const override;
    void evaluate(Rows<const float> coefficients, Rows<const float> anchors, Rows<float> points, int count,
                  bool with_constant, float* memory, int threads) const override;
    void vjp(const float* cotangents, float* coefficient_gradient, float* anchor_gradient,
             float* memory) const override;
    void add_restricted(View<const std::int32_t, 1> vertices, TensorFile& file) const override;

private:
    /// U (3 N, R) as stored, widened to float32.
    std::vector<float> stored_basis() const;
    void evaluate_rows(Rows<const float> coefficients, Rows<const float> anchors, Rows<float> points, int count,
                       bool with_constant, float* memory, int threads) const;

    std::unique_ptr<const Reconstructor> reconstructor_;
    View<const std::int32_t, 2> faces_;
    View<const float, 2> basis_;
    View<const float, 1> mean_;           // mu (3 N)
    std::vector<std::int32_t> vertices_;  // (V) of the mesh: those that the model has
    View<const float, 2> rest_;           // (V, 3)
    Packed packed_;
    AffineTail map_;  // delta = U z + mu
};

}  // namespace rigcast::differential
