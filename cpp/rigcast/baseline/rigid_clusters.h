#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::baseline {

/// For each frame and cluster the rigid motion that moves the rest vertices of the cluster nearest to the frame's
/// vertices in least squares (Kabsch 1976, with a determinant of +1): (T, B, 3, 4). A cluster of fewer than three
/// vertices has one of the motions that fit equally well; an empty one has the identity.
/// rest (V, 3); vertices (T, V, 3); cluster (V), below `count`.
std::vector<double> rigid_motions(View<const float, 2> rest, View<const float, 3> vertices,
                                  const std::vector<std::int32_t>& cluster, std::int64_t count, int threads);

/// Clusters of vertices that move rigidly, as near as possible: the cluster of each vertex (V), below `count`.
/// Method: as Le and Deng 2012, section 4.1: clusters are split in two until there are `count` (Linde, Buzo and Gray
/// 1980), those of largest error first; after each round, vertices go to the cluster whose rigid motion fits them best,
/// a few times. A split begins with the vertices that are nearest at rest to the one that fits worst.
/// Requires: 1 <= count <= V, T >= 1.
std::vector<std::int32_t> rigid_clusters(View<const float, 2> rest, View<const float, 3> vertices, std::int64_t count,
                                         int threads);

}  // namespace rigcast::baseline
