#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/mesh/components.h"

namespace rigwright::transfer {

/// x -> scale rotation x + translation; the rotation row-major.
struct Similarity {
    double scale = 1.0;
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};
    linalg::Vec3 translation{};

    /// scale rotation x, for differences of points.
    linalg::Vec3 turn(const linalg::Vec3& x) const;
    linalg::Vec3 apply(const linalg::Vec3& x) const;
};

/// The similarity of each component that takes the source's vertices onto the target's: the proper rotation of
/// least squares (Umeyama 1991), the ratio of the two spreads as the scale (so that both directions agree), centroid
/// to centroid. A component too thin to tell a rotation (fewer than three vertices, or on one line) takes rotation
/// and scale of the whole mesh.
std::vector<Similarity> fit_similarities(const mesh::Components& components, View<const float, 2> source,
                                         View<const float, 2> target);

/// How much a vertex counts where its group is placed, for offsets (V, 3) of a shape: 1 / (|offset|^2 / max^2 +
/// 0.05^2), max the largest offset of the group. What rests counts most. 0 throughout a group that rests altogether.
std::vector<double> rest_weights(const mesh::Components& groups, const double* offset);

}  // namespace rigwright::transfer
