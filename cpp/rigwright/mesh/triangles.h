#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

using Vector = std::array<double, 3>;

/// points_i - points_j of points (V, 3).
inline Vector difference(const double* points, std::int64_t i, std::int64_t j) {
    return {points[3 * i] - points[3 * j], points[3 * i + 1] - points[3 * j + 1],
            points[3 * i + 2] - points[3 * j + 2]};
}

/// A triangle of a mesh's triangulation and the part of its area that counts.
struct Triangle {
    std::array<std::int32_t, 3> vertex;
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
Vector normal_column(const Vector& a, const Vector& b);

}  // namespace rigwright::mesh
