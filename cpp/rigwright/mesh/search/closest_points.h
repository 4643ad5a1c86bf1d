#pragma once
#include <array>
#include <cstdint>

#include "rigwright/core/view.h"
#include "rigwright/linalg/vec3.h"

namespace rigwright::mesh {

/// Barycentric weights of the point of a triangle nearest to p, by Voronoi regions (Ericson 2005, section 5.1.5).
linalg::Vec3 nearest_weights(const std::array<linalg::Vec3, 3>& corner, const linalg::Vec3& p);

/// The point of a surface nearest to each query: the corners (Q, 3) of a triangle, their barycentric weights (Q, 3) and
/// the distance (Q). `points` (V, 3), faces (F, 4), quads cut along their first diagonal, queries (Q, 3). With
/// `normals` (Q, 3), unit, only triangles count whose normal is within 90 degrees of the query's: the upper lip does
/// not find the lower one. A query without such a triangle gets corners -1, weights 0 and an infinite distance. The
/// same for any number of threads; of equally near triangles any. Throws ArgumentError
/// where shapes do not fit, a value is not finite or a corner is no vertex.
void closest_points(View<const float, 2> points, View<const std::int32_t, 2> faces, View<const float, 2> queries,
                    const View<const float, 2>* normals, View<std::int32_t, 2> corners, View<float, 2> weights,
                    View<float, 1> distances, int threads);

}  // namespace rigwright::mesh
