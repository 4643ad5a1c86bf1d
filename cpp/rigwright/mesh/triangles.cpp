#include "rigwright/mesh/triangles.h"

#include <algorithm>
#include <cmath>

#include "rigwright/mesh/topology.h"

namespace rigwright::mesh {
namespace {

Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double squared_length(const Vector& a) {
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

}  // namespace

std::vector<Triangle> triangulate(View<const std::int32_t, 2> faces) {
    constexpr int corners[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
    std::vector<Triangle> triangles;
    triangles.reserve(4 * static_cast<std::size_t>(faces.extent(0)));
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        const bool quad = mesh::num_corners(face) == 4;
        for (int t = 0; t < (quad ? 4 : 1); ++t) {
            const auto& c = corners[t];
            triangles.push_back(
                {{face[c[0]], face[c[1]], face[c[2]]}, static_cast<std::int32_t>(f), quad ? 0.5f : 1.0f});
        }
    }
    return triangles;
}

bool is_degenerate(const Triangle& triangle, const double* points) {
    Vector side[3];
    double longest = 0.0;
    for (int c = 0; c < 3; ++c) {
        const double *from = points + 3 * triangle.vertex[c], *to = points + 3 * triangle.vertex[(c + 1) % 3];
        side[c] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        longest = std::max(longest, squared_length(side[c]));
    }
    const double area = squared_length(cross(side[0], side[1]));
    return !(area > degenerate_height * degenerate_height * longest * longest);
}

Vector normal_column(const Vector& a, const Vector& b) {
    const Vector n = cross(a, b);
    const double length = std::sqrt(squared_length(n));
    if (!(length > 0.0)) return {0.0, 0.0, 0.0};
    const double scale = 1.0 / std::sqrt(length);
    return {scale * n[0], scale * n[1], scale * n[2]};
}

}  // namespace rigwright::mesh
