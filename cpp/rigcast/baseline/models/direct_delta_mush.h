#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rigcast/baseline/models/forward_only.h"

namespace rigcast::baseline {

/// Direct delta mush (Le and Lewis 2019): delta mush whose smoothing and rest frames are precomputed per vertex and
/// joint. With skinning transforms M_j = [A_j | b_j] and the vertex's smoothed rest position p_k,
///   Q_k = sum_j A_j P_kj + (A_j p_k + b_j - c_k) s_kj^T,   q_k = sum_j A_j s_kj + c_k,
///   c_k = sum_j (A_j p_k + b_j) m_kj,
///   v_k = R_k (v_k^0 - p_k) + q_k,   R_k the rotation nearest to Q_k,
/// where P (3, 3, symmetric), s (3) and m are the entries of sum_i B_ki w_ij u u^T, u = (v_i^0 - p_k, 1), for the
/// smoothing matrix B and skin weights w: their equations 11 to 13 about p_k, which spares the cancellation in
/// Q - q p^T; c_k drops out, since the s of a vertex sum to 0. The optional smoothing of translations is left out.
///
/// Tensors: mush.joint I32[V, K], mush.matrix F32[V, K, 10] (P00 P01 P02 s0 P11 P12 s1 P22 s2 m) and mush.center F32[V,
/// 3]. The m of a vertex sum to 1; unused entries are zeros.
class DirectDeltaMush final : public ForwardOnly {
public:
    /// Throws ArgumentError if a tensor is missing, sizes do not fit, a joint is out of range, or the m of a vertex do
    /// not sum to 1 within 1e-3.
    explicit DirectDeltaMush(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;

    struct Blend;
    std::size_t transforms_size() const { return 12 * static_cast<std::size_t>(character().skeleton.num_joints()); }
    Blend blend(const float* transforms, std::int64_t vertex) const;
    void detail(std::int64_t vertex, double* out) const;

    View<const std::int32_t, 2> joint_;
    View<const float, 3> matrix_;
    View<const float, 2> center_;
};

}  // namespace rigcast::baseline
