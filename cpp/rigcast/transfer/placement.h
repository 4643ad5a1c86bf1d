#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/components.h"

namespace rigcast::transfer {

/// The map x -> scale rotation x + translation; the rotation is row-major.
struct Similarity {
    double scale = 1.0;
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};
    linalg::Vec3 translation{};

    linalg::Vec3 map_point(const linalg::Vec3& x) const;
    /// scale rotation x, for differences of points.
    linalg::Vec3 map_vector(const linalg::Vec3& x) const;
};

/// For each component, the similarity that takes the source's points (V, 3) onto the target's: the least-squares
/// rotation (Umeyama 1991), as scale the ratio of the two spreads, so that both directions agree, and centroid to
/// centroid. A component whose rotation is not determined (fewer than three vertices, or all on one line) takes
/// rotation and scale of the whole mesh.
std::vector<Similarity> fit_similarities(const mesh::Components& components, View<const float, 2> source,
                                         View<const float, 2> target);

/// Weights (V) of vertices when a component is placed, given a shape's offsets (V, 3):
///   1 / (|offset|^2 / max^2 + 0.05^2), max the largest offset of the component.
/// Vertices at rest weigh most. All weights of a component at rest are 0.
std::vector<double> rest_weights(const mesh::Components& components, const double* offset);

}  // namespace rigcast::transfer
