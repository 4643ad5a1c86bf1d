#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/rig/skeleton.h"

namespace rigwright::baseline {

/// Of each joint, the joint whose motion it repeats: the parent's, where the skinning transforms of both agree
/// in every pose within `tolerance` at the distance `radius` of the origin; itself otherwise.
std::vector<std::int32_t> motion_sources(const rig::Skeleton& skeleton, View<const float, 2> poses, double radius,
                                         double tolerance);

/// Skin weights: K joints a vertex with weights >= 0, sum 1, largest first, and the sums of squared distances
/// that they leave.
struct SkinFit {
    std::int64_t influences = 0;      // K
    std::vector<std::int32_t> joint;  // (V, K)
    std::vector<float> weight;        // (V, K)
    std::vector<double> error;        // (V)
};

/// Linear blend skinning learned from examples (Mohr and Gleicher 2003): of each vertex k the weights that
/// minimize
///   sum_t |sum_j w_kj S_tj v_k^0 - v_tk|^2,   w >= 0,  sum_j w_kj = 1,   S_tj = G_tj (G_j^0)^-1.
/// The examples enter as sums alone, so that any number of them is added piece by piece: because the weights sum
/// to 1, the problem is w^T D w with
///   D_ij = (E_ki + E_kj - v_k^0T N_ij v_k^0) / 2,   E_kj = sum_t |S_tj v_k^0 - v_tk|^2,
///   N_ij = sum_t (S_ti - S_tj)^T (S_ti - S_tj)      (v_k^0 with a 1 appended).
class LinearBlendFit {
public:
    /// `joints`: the joints that may influence a vertex. Throws ArgumentError on wrong input, here and below.
    LinearBlendFit(const rig::Skeleton& skeleton, View<const float, 2> rest_vertices,
                   View<const std::int32_t, 1> joints);

    /// Adds T examples: poses (T, C), vertices (T, V, 3).
    void add(View<const float, 2> poses, View<const float, 3> vertices, int threads);
    /// The weights with at most `influences` joints a vertex (0: as many as help). Needs an example.
    SkinFit solve(int influences, int threads) const;

    std::int64_t num_examples() const { return num_examples_; }
    std::int64_t num_vertices() const { return static_cast<std::int64_t>(rest_.size() / 3); }

private:
    static constexpr int entries = 10;  // of a symmetric 4 x 4 matrix

    void fill_gram(std::int64_t vertex, double* gram) const;

    rig::Skeleton skeleton_;
    std::vector<std::int32_t> joints_;
    std::vector<float> rest_;
    double center_[3];               // of the rest vertices; N is about it, which keeps its digits
    std::vector<double> errors_;     // E (V, J)
    std::vector<double> distances_;  // N (J, J, 10), i < j
    std::int64_t num_examples_ = 0;
};

}  // namespace rigwright::baseline
