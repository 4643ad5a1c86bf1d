#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/vec3.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {

using Corners = std::array<std::int32_t, 3>;

/// Calls visit(corners) for a triangle, or for both triangles of a quad, which is split along its first diagonal: from
/// its first to its third corner.
template <class Visit>
void for_each_triangle(const std::int32_t* face, Visit&& visit) {
    for (int t = 1; t + 1 < num_corners(face); ++t) visit(Corners{face[0], face[t], face[t + 1]});
}

/// A triangle of a triangulated mesh.
struct Triangle {
    Corners vertex;
    std::int32_t face;  // the face that it is part of
    float share;        // the weight of its area: 1, or 0.5 in a quad
};

/// Splits faces into triangles. A quad is split along both diagonals into four triangles of share 0.5, so that the
/// result does not depend on its first corner, and a symmetric mesh stays symmetric.
std::vector<Triangle> triangulate(View<const std::int32_t, 2> faces);

/// A triangle is degenerate if its height over its longest side is below this share of that side: its deformation
/// gradient would be rounding error. Chosen, not tuned.
inline constexpr double degenerate_height = 1e-4;

/// Returns true if a triangle of points (V, 3) is degenerate. A triangle with two equal corners always is.
bool is_degenerate(const Triangle& triangle, const double* points);

/// The third column of a triangle's frame with sides a and b (Sumner and Popovic 2004, equation 1):
///   a x b / sqrt|a x b|, or (0, 0, 0) if a x b = 0.
linalg::Vec3 normal_column(const linalg::Vec3& a, const linalg::Vec3& b);

}  // namespace rigcast::mesh
