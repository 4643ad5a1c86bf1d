#include "rigcast/mesh/triangles.h"

#include <algorithm>
#include <cmath>

namespace rigcast::mesh {

using linalg::Vec3;

std::vector<Triangle> triangulate(View<const std::int32_t, 2> faces) {
    constexpr int corners[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
    std::vector<Triangle> triangles;
    triangles.reserve(4 * static_cast<std::size_t>(faces.extent(0)));
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        const bool quad = num_corners(face) == 4;
        for (int t = 0; t < (quad ? 4 : 1); ++t) {
            const auto& c = corners[t];
            triangles.push_back(
                {{face[c[0]], face[c[1]], face[c[2]]}, static_cast<std::int32_t>(f), quad ? 0.5f : 1.0f});
        }
    }
    return triangles;
}

bool is_degenerate(const Triangle& triangle, const double* points) {
    Vec3 side[3];
    double longest = 0.0;
    for (int c = 0; c < 3; ++c) {
        side[c] = linalg::difference(points, triangle.vertex[(c + 1) % 3], triangle.vertex[c]);
        longest = std::max(longest, dot(side[c], side[c]));
    }
    const Vec3 area = cross(side[0], side[1]);
    return !(dot(area, area) > degenerate_height * degenerate_height * longest * longest);
}

Vec3 normal_column(const Vec3& a, const Vec3& b) {
    const Vec3 n = cross(a, b);
    const double size = length(n);
    if (!(size > 0.0)) return {0.0, 0.0, 0.0};
    return 1.0 / std::sqrt(size) * n;
}

}  // namespace rigcast::mesh
