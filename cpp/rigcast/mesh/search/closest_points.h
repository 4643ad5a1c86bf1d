#pragma once
#include <array>
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/linalg/vec3.h"

namespace rigcast::mesh {

/// The barycentric weights of the point of a triangle that is nearest to p, by Voronoi regions (Ericson 2005, section
/// 5.1.5).
linalg::Vec3 nearest_weights(const std::array<linalg::Vec3, 3>& corner, const linalg::Vec3& p);

/// Finds the nearest point of a surface for each of Q queries. Writes the corners (Q, 3) of its triangle, their
/// barycentric weights (Q, 3) and the distance (Q).
/// points: (V, 3). faces: (F, 4); quads are split along their first diagonal. queries: (Q, 3). normals (optional): (Q,
/// 3) unit vectors; only triangles with a normal less than 90 degrees from the query's count, so that the upper lip
/// does not find the lower one. A query without any such triangle gets corners -1, weights 0 and an infinite distance.
/// Guarantee: the same bytes for any number of threads. Of equally near triangles any may be found.
/// Throws ArgumentError if shapes do not match, a value is not finite or a face index is out of range.
void closest_points(View<const float, 2> points, View<const std::int32_t, 2> faces, View<const float, 2> queries,
                    const View<const float, 2>* normals, View<std::int32_t, 2> corners, View<float, 2> weights,
                    View<float, 1> distances, int threads);

}  // namespace rigcast::mesh
