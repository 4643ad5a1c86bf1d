#include "rigcast/mesh/search/surface_picker.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {
namespace {

using linalg::Vec3;

constexpr const char* picker_name = "SurfacePicker";
/// Larger clusters test more triangles per ray, smaller ones make the tree that a refit passes over larger.
constexpr std::size_t triangles_per_cluster = 16;
constexpr double steps_per_axis = 1023.0;  // of the Morton code: ten bits per axis

/// The lower ten bits of x, each followed by two zeros.
std::uint32_t spread_bits(std::uint32_t x) {
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

/// The barycentric weights of the second and third corner, and the ray parameter, where a ray meets the plane of a
/// triangle inside it (Moeller and Trumbore 1997); a parameter of +inf if it does not.
Vec3 meet(const std::array<Vec3, 3>& p, const Vec3& origin, const Vec3& direction) {
    constexpr double never = std::numeric_limits<double>::infinity();
    const Vec3 a = p[1] - p[0];
    const Vec3 b = p[2] - p[0];
    const Vec3 h = cross(direction, b);
    const double determinant = dot(a, h);
    if (determinant == 0.0) return {0.0, 0.0, never};
    const Vec3 s = origin - p[0];
    const Vec3 q = cross(s, a);
    const double u = dot(s, h) / determinant;
    const double v = dot(direction, q) / determinant;
    const double t = dot(b, q) / determinant;
    if (!(u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0)) return {0.0, 0.0, never};
    return {u, v, t};
}

}  // namespace

SurfacePicker::SurfacePicker(View<const float, 2> points, View<const std::int32_t, 2> faces)
    : points_(points.begin(), points.end()), tree_({}) {
    check_shape<const float, 2>(picker_name, "points", points, {-1, 3});
    check_shape<const std::int32_t, 2>(picker_name, "faces", faces, {-1, 4});
    check_finite(picker_name, "points", points);
    check_faces(picker_name, faces, points.extent(0));
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        for_each_triangle(faces.row(f), [&](const Corners& corner) {
            triangles_.push_back({corner, static_cast<std::int32_t>(f)});
        });
    }
    sort_along_curve();
    gather_cluster_vertices();
    tree_ = BoxTree(boxes());
}

void SurfacePicker::sort_along_curve() {
    Box all = Box::empty();
    std::vector<Vec3> center(triangles_.size());
    for (std::size_t i = 0; i < center.size(); ++i) {
        for (const std::int32_t v : triangles_[i].corner) center[i] = center[i] + Vec3::at(points_.data(), v);
        all.include(center[i].data());
    }
    std::vector<std::uint32_t> code(center.size(), 0);
    for (std::size_t i = 0; i < center.size(); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double extent = all.high[axis] - all.low[axis];
            const double share = extent > 0.0 ? (center[i][axis] - all.low[axis]) / extent : 0.0;
            code[i] |= spread_bits(static_cast<std::uint32_t>(share * steps_per_axis)) << axis;
        }
    }
    std::vector<std::size_t> order(center.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return code[a] < code[b]; });
    std::vector<FaceTriangle> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) sorted.push_back(triangles_[i]);
    triangles_ = std::move(sorted);
}

void SurfacePicker::gather_cluster_vertices() {
    start_.push_back(0);
    for (std::size_t begin = 0; begin < triangles_.size(); begin += triangles_per_cluster) {
        const std::size_t end = std::min(begin + triangles_per_cluster, triangles_.size());
        const std::int32_t first = start_.back();
        for (std::size_t i = begin; i < end; ++i) {
            for (const std::int32_t v : triangles_[i].corner) vertex_.push_back(v);
        }
        std::sort(vertex_.begin() + first, vertex_.end());
        vertex_.erase(std::unique(vertex_.begin() + first, vertex_.end()), vertex_.end());
        start_.push_back(static_cast<std::int32_t>(vertex_.size()));
    }
}

std::vector<Box> SurfacePicker::boxes() const {
    std::vector<Box> result(start_.size() - 1);
    for (std::size_t c = 0; c < result.size(); ++c) {
        float low[3];
        float high[3];
        std::fill_n(low, 3, std::numeric_limits<float>::infinity());
        std::fill_n(high, 3, -std::numeric_limits<float>::infinity());
        for (std::int32_t i = start_[c]; i < start_[c + 1]; ++i) {
            const float* p = points_.data() + 3 * static_cast<std::size_t>(vertex_[i]);
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], p[axis]);
                high[axis] = std::max(high[axis], p[axis]);
            }
        }
        result[c] = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    }
    return result;
}

void SurfacePicker::refit(View<const float, 2> points) {
    check_shape<const float, 2>("SurfacePicker.refit", "points", points,
                                {static_cast<std::int64_t>(points_.size() / 3), 3});
    check_finite("SurfacePicker.refit", "points", points);
    std::copy(points.begin(), points.end(), points_.begin());
    tree_ = tree_.refitted(boxes());
}

SurfaceHit SurfacePicker::pick(const Vec3& origin, const Vec3& direction) const {
    check_finite("SurfacePicker.pick", "origin", View<const double, 1>{origin.data(), {3}});
    check_finite("SurfacePicker.pick", "direction", View<const double, 1>{direction.data(), {3}});
    if (direction == Vec3{}) throw bad_argument("SurfacePicker.pick", "direction", "0", "a direction");
    SurfaceHit hit;
    const auto first_of_cluster = [&](std::int32_t cluster, double best) {
        const std::size_t begin = triangles_per_cluster * static_cast<std::size_t>(cluster);
        const std::size_t end = std::min(begin + triangles_per_cluster, triangles_.size());
        for (std::size_t i = begin; i < end; ++i) {
            const Corners& corner = triangles_[i].corner;
            const Vec3 met = meet({Vec3::at(points_.data(), corner[0]), Vec3::at(points_.data(), corner[1]),
                                   Vec3::at(points_.data(), corner[2])},
                                  origin, direction);
            if (met[2] >= best) continue;
            best = met[2];
            hit = {triangles_[i].face, corner, {1.0 - met[0] - met[1], met[0], met[1]}, -1, best};
        }
        return best;
    };
    tree_.first_along(origin.data(), direction.data(), std::numeric_limits<double>::infinity(), first_of_cluster);
    if (hit.face < 0) return hit;
    const Vec3 point = origin + hit.distance * direction;
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::int32_t v : hit.corner) {
        const Vec3 gap = Vec3::at(points_.data(), v) - point;
        if (dot(gap, gap) >= nearest) continue;
        nearest = dot(gap, gap);
        hit.vertex = v;
    }
    return hit;
}

}  // namespace rigcast::mesh
