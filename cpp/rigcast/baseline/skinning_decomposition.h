#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::baseline {

/// Smooth skinning decomposition with rigid bones (Le and Deng 2012): weights w and, for each frame t, rigid motions
/// S_tb of B bones that minimize
///   sum_t sum_k |sum_b w_kb S_tb v_k^0 - v_tk|^2,   w >= 0,  sum_b w_kb = 1,  at most K of w_k are not 0.
/// It begins with rigid_clusters, one bone each, and is improved by two steps in turn, neither of which raises the
/// objective.
class SkinningDecomposition {
public:
    /// Copies rest (V, 3) and vertices (T, V, 3). Throws ArgumentError if shapes do not match, there is no frame, a
    /// value is not finite, or bones or influences are not from 1 to V and to B.
    SkinningDecomposition(View<const float, 2> rest, View<const float, 3> vertices, std::int64_t bones, int influences,
                          int threads);

    /// For each vertex, the least squares weights: the better of those over the bones that it has, and those over the K
    /// bones that are left when the smallest weights of the solution over all bones are dropped one by one (section
    /// 4.2, with SkinGram and SimplexLeastSquares). Exact if B <= K.
    void update_weights(int threads);
    /// For each frame, bone after bone, the rigid motion that is best given the others (section 4.3, equations 9 to
    /// 11).
    void update_bones(int threads);

    /// The objective after the last step.
    double objective(int threads) const;
    std::int64_t num_vertices() const { return num_vertices_; }
    std::int64_t num_frames() const { return num_frames_; }
    std::int64_t num_bones() const { return num_bones_; }
    int influences() const { return influences_; }
    /// (T, B, 3, 4)
    const std::vector<double>& motions() const { return motions_; }
    /// (V, K), of weight 0 where a vertex has fewer bones.
    const std::vector<std::int32_t>& bone() const { return bone_; }
    const std::vector<double>& weight() const { return weight_; }

private:
    struct BoneSums;
    struct Entry {
        std::int32_t vertex;
        double weight;
    };

    std::vector<std::vector<Entry>> entries_by_bone() const;
    void residuals(std::int64_t frame, double* residual) const;
    void update_frame(std::int64_t frame, const std::vector<std::vector<Entry>>& entries,
                      const std::vector<BoneSums>& sums, double* residual);

    std::int64_t num_vertices_;
    std::int64_t num_frames_;
    std::int64_t num_bones_;
    int influences_;
    std::vector<float> rest_;
    std::vector<float> vertices_;
    std::vector<double> motions_;
    std::vector<std::int32_t> bone_;
    std::vector<double> weight_;
};

}  // namespace rigcast::baseline
