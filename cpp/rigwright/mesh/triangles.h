#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/linalg/vec3.h"
#include "rigwright/mesh/topology.h"

namespace rigwright::mesh {

using Corners = std::array<std::int32_t, 3>;

/// Calls visit(corners) for the triangle that a face is, or for the two that a quad's first diagonal cuts it into.
template <class Visit>
void for_each_triangle(const std::int32_t* face, Visit&& visit) {
    for (int t = 1; t + 1 < num_corners(face); ++t) visit(Corners{face[0], face[t], face[t + 1]});
}

/// A triangle of a mesh's triangulation and the part of its area that counts.
struct Triangle {
    Corners vertex;
    std::int32_t face;  // where it comes from
    float share;
};

/// Splits faces into triangles. A triangle stands for itself. A quad is split along both diagonals into four
/// triangles of half a share each: the result then does not depend on the corner that a quad starts with, and a
/// mesh that is symmetric stays so.
std::vector<Triangle> triangulate(View<const std::int32_t, 2> faces);

/// A triangle is degenerate where its height over its longest side is below this part of that side: what a
/// deformation gradient across it says is then rounding.
inline constexpr double degenerate_height = 1e-4;

/// Whether a triangle of points (V, 3) is degenerate; corners that repeat always are.
bool is_degenerate(const Triangle& triangle, const double* points);

/// The third column of a triangle's frame (Sumner and Popovic 2004, equation 1): a x b / sqrt|a x b|; (0, 0, 0) for
/// sides that span nothing.
linalg::Vec3 normal_column(const linalg::Vec3& a, const linalg::Vec3& b);

}  // namespace rigwright::mesh
