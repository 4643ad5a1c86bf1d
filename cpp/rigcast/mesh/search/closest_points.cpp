#include "rigcast/mesh/search/closest_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/mesh/search/box_tree.h"
#include "rigcast/mesh/topology.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::mesh {
namespace {

using linalg::Vec3;

/// A triangle with the coordinates of its corners.
struct PlacedTriangle {
    Corners corner;
    std::array<Vec3, 3> point;
    Vec3 normal;  // of any length
};

std::vector<PlacedTriangle> triangles(View<const float, 2> points, View<const std::int32_t, 2> faces) {
    std::vector<PlacedTriangle> result;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        for_each_triangle(faces.row(f), [&](const Corners& corner) {
            PlacedTriangle triangle{corner, {}, {}};
            for (int c = 0; c < 3; ++c) triangle.point[c] = Vec3::at(points.data(), corner[c]);
            triangle.normal = cross(triangle.point[1] - triangle.point[0], triangle.point[2] - triangle.point[0]);
            if (dot(triangle.normal, triangle.normal) > 0.0) result.push_back(triangle);
        });
    }
    return result;
}

constexpr const char* closest_points_name = "closest_points";
constexpr std::int64_t closest_points_per_task = 256;  // not sensitive: a task is far longer than its start

void check_arguments(View<const float, 2> points, View<const std::int32_t, 2> faces, View<const float, 2> queries,
                     const View<const float, 2>* normals) {
    check_shape<const float, 2>(closest_points_name, "vertices", points, {-1, 3});
    check_shape<const float, 2>(closest_points_name, "queries", queries, {-1, 3});
    if (normals) check_shape<const float, 2>(closest_points_name, "normals", *normals, queries.extents());
    check_finite(closest_points_name, "vertices", points);
    check_finite(closest_points_name, "queries", queries);
    check_faces(closest_points_name, faces, points.extent(0));
}

}  // namespace

Vec3 nearest_weights(const std::array<Vec3, 3>& corner, const Vec3& p) {
    const auto& [a, b, c] = corner;
    const Vec3 ab = b - a;
    const Vec3 ac = c - a;
    const Vec3 ap = p - a;
    const Vec3 bp = p - b;
    const Vec3 cp = p - c;
    const double d1 = dot(ab, ap);
    const double d2 = dot(ac, ap);
    const double d3 = dot(ab, bp);
    const double d4 = dot(ac, bp);
    const double d5 = dot(ab, cp);
    const double d6 = dot(ac, cp);
    if (d1 <= 0.0 && d2 <= 0.0) return {1.0, 0.0, 0.0};
    if (d3 >= 0.0 && d4 <= d3) return {0.0, 1.0, 0.0};
    if (d6 >= 0.0 && d5 <= d6) return {0.0, 0.0, 1.0};
    const double vc = d1 * d4 - d3 * d2;
    const double vb = d5 * d2 - d1 * d6;
    const double va = d3 * d6 - d5 * d4;
    // A side of length 0 has d1 = d3 (or d2 = d6, ...): it is skipped, since its point belongs to the other sides, too.
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3) return {1.0 - d1 / (d1 - d3), d1 / (d1 - d3), 0.0};
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return {1.0 - d2 / (d2 - d6), 0.0, d2 / (d2 - d6)};
    if (va <= 0.0 && d4 >= d3 && d5 >= d6 && (d4 - d3) + (d5 - d6) > 0.0) {
        const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {0.0, 1.0 - w, w};
    }
    const double sum = va + vb + vc;
    if (!(sum > 0.0)) return {1.0, 0.0, 0.0};  // all corners are equal
    return {va / sum, vb / sum, vc / sum};
}

void closest_points(View<const float, 2> points, View<const std::int32_t, 2> faces, View<const float, 2> queries,
                    const View<const float, 2>* normals, View<std::int32_t, 2> corners, View<float, 2> weights,
                    View<float, 1> distances, int threads) {
    check_arguments(points, faces, queries, normals);
    check_shape<std::int32_t, 2>(closest_points_name, "corners", corners, {queries.extent(0), 3});
    check_shape<float, 2>(closest_points_name, "weights", weights, {queries.extent(0), 3});
    check_shape<float, 1>(closest_points_name, "distances", distances, {queries.extent(0)});
    const std::vector<PlacedTriangle> all = triangles(points, faces);
    std::vector<Box> boxes(all.size(), Box::empty());
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const Vec3& p : all[i].point) boxes[i].include(p.data());
    }
    const BoxTree tree(boxes);
    parallel_for(queries.extent(0), closest_points_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t q = begin; q < end; ++q) {
            const Vec3 p = Vec3::at(queries.row(q));
            std::int32_t nearest = -1;
            Vec3 found{};
            const auto distance = [&](std::int32_t i, double best) {
                const PlacedTriangle& t = all[i];
                if (normals && dot(t.normal, Vec3::at(normals->row(q))) <= 0.0) return best;
                const Vec3 w = nearest_weights(t.point, p);
                Vec3 gap = p;
                for (int c = 0; c < 3; ++c) {
                    for (int a = 0; a < 3; ++a) gap[a] -= w[c] * t.point[c][a];
                }
                const double squared = dot(gap, gap);
                if (squared < best) {
                    nearest = i;
                    found = w;
                }
                return squared;
            };
            const double best = tree.nearest(p.data(), std::numeric_limits<double>::infinity(), distance);
            for (int c = 0; c < 3; ++c) {
                corners(q, c) = nearest < 0 ? -1 : all[nearest].corner[c];
                weights(q, c) = static_cast<float>(found[c]);
            }
            distances(q) = static_cast<float>(std::sqrt(best));
        }
    });
}

}  // namespace rigcast::mesh
