#include "rigcast/mesh/search/intersections.h"

#include <algorithm>

#include "rigcast/core/interruption.h"
#include "rigcast/mesh/search/box_tree.h"
#include "rigcast/mesh/topology.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::mesh {
namespace {

using Point = linalg::Vec3;

/// A triangle of a face.
struct FaceTriangle {
    std::array<Point, 3> corner;
    std::int32_t face;
};

/// Six times the signed volume of a tetrahedron.
double volume(const Point& a, const Point& b, const Point& c, const Point& d) {
    return dot(b - a, cross(c - a, d - a));
}

/// Returns true if the segment from p to q passes through the interior of a triangle.
bool pierces(const Point& p, const Point& q, const std::array<Point, 3>& t) {
    if (volume(t[0], t[1], t[2], p) * volume(t[0], t[1], t[2], q) >= 0.0) return false;
    const double a = volume(p, q, t[0], t[1]);
    const double b = volume(p, q, t[1], t[2]);
    const double c = volume(p, q, t[2], t[0]);
    return (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
}

/// Returns true if an edge of one triangle pierces the other.
bool intersect(const FaceTriangle& a, const FaceTriangle& b) {
    for (int e = 0; e < 3; ++e) {
        if (pierces(a.corner[e], a.corner[(e + 1) % 3], b.corner)) return true;
        if (pierces(b.corner[e], b.corner[(e + 1) % 3], a.corner)) return true;
    }
    return false;
}

bool share_vertex(const std::int32_t* f, const std::int32_t* g) {
    return std::any_of(f, f + num_corners(f), [&](std::int32_t v) { return std::count(g, g + num_corners(g), v) > 0; });
}

std::vector<FaceTriangle> chosen_triangles(View<const float, 2> points, View<const std::int32_t, 2> faces,
                                           View<const std::uint8_t, 1> chosen) {
    std::vector<FaceTriangle> result;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        if (chosen(f) == 0) continue;
        for_each_triangle(faces.row(f), [&](const Corners& corner) {
            FaceTriangle triangle{{}, static_cast<std::int32_t>(f)};
            for (int c = 0; c < 3; ++c) triangle.corner[c] = Point::at(points.data(), corner[c]);
            result.push_back(triangle);
        });
    }
    return result;
}

}  // namespace

std::vector<std::array<std::int32_t, 2>> self_intersections(View<const float, 2> points,
                                                            View<const std::int32_t, 2> faces,
                                                            View<const std::uint8_t, 1> chosen) {
    const std::vector<FaceTriangle> all = chosen_triangles(points, faces, chosen);
    std::vector<Box> boxes(all.size(), Box::empty());
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const Point& p : all[i].corner) boxes[i].include(p.data());
    }
    const BoxTree tree(boxes);
    std::vector<std::array<std::int32_t, 2>> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
        check_interruption();
        tree.overlapping(boxes[i], [&](std::int32_t j) {
            const std::int32_t f = all[i].face;
            const std::int32_t g = all[j].face;
            if (f >= g || share_vertex(faces.row(f), faces.row(g)) || !intersect(all[i], all[j])) return;
            found.push_back({f, g});
        });
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace rigcast::mesh
