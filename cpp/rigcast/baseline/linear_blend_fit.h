#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/baseline/skin_gram.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/channels/skeleton.h"

namespace rigcast::baseline {

/// For each joint, the joint whose motion it repeats: that of its parent if the skinning transforms of both agree in
/// every pose (T, C) within `tolerance` at the distance `radius` from the origin, otherwise itself.
std::vector<std::int32_t> motion_sources(const rig::Skeleton& skeleton, View<const float, 2> poses, double radius,
                                         double tolerance);

/// Skin weights with K joints per vertex: weights >= 0 of sum 1, largest first. `error` is the sum of squared distances
/// to the examples.
struct SkinFit {
    std::int64_t influences = 0;      // K
    std::vector<std::int32_t> joint;  // (V, K)
    std::vector<float> weight;        // (V, K)
    std::vector<double> error;        // (V)
};

/// Linear blend skinning fitted to examples (Mohr and Gleicher 2003). The weights of vertex k minimize
///   sum_t |sum_j w_kj S_tj v_k^0 - v_tk|^2,   w >= 0,  sum_j w_kj = 1,   S_tj = G_tj (G_j^0)^-1.
/// Method: SkinGram, and InfluenceSearch for each vertex.
class LinearBlendFit {
public:
    /// `joints`: the joints that may influence a vertex. All members throw ArgumentError on wrong input.
    LinearBlendFit(const rig::Skeleton& skeleton, View<const float, 2> rest_vertices,
                   View<const std::int32_t, 1> joints);

    /// Adds T examples: poses (T, C), vertices (T, V, 3).
    void add(View<const float, 2> poses, View<const float, 3> vertices, int threads);
    /// The weights with at most `influences` joints per vertex (0: as many as lower the error). Needs an example.
    SkinFit solve(int influences, int threads) const;

    std::int64_t num_examples() const { return num_examples_; }
    std::int64_t num_vertices() const { return gram_.num_vertices(); }

private:
    rig::Skeleton skeleton_;
    std::vector<std::int32_t> joints_;
    SkinGram gram_;
    std::int64_t num_examples_ = 0;
};

}  // namespace rigcast::baseline
