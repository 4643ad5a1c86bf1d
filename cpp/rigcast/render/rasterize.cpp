#include "rigcast/render/rasterize.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigcast::render {

using linalg::Vec3;

SeenTriangle::SeenTriangle(const double* points, const mesh::Corners& vertex) {
    for (int c = 0; c < 3; ++c) corner_[c] = Vec3::at(points, vertex[c]);
    const Vec3 normal = cross(corner_[1] - corner_[0], corner_[2] - corner_[0]);
    const double offset = dot(normal, corner_[0]);
    normal_ = offset == 0.0 ? Vec3{0, 0, 0} : (1.0 / offset) * normal;
    for (double x : normal_) {
        if (!std::isfinite(x)) normal_ = Vec3{0, 0, 0};
    }
}

double SeenTriangle::inverse_depth(const Vec3& ray, double near) const {
    const double nearest = std::min({corner_[0][2], corner_[1][2], corner_[2][2]});
    const double farthest = std::max({corner_[0][2], corner_[1][2], corner_[2][2]});
    return std::clamp(dot(normal_, ray), 1.0 / std::max(farthest, near), 1.0 / std::max(nearest, near));
}

Vec3 SeenTriangle::barycentric(const Vec3& ray) const {
    Vec3 weight{dot(ray, cross(corner_[1], corner_[2])), dot(ray, cross(corner_[2], corner_[0])),
                dot(ray, cross(corner_[0], corner_[1]))};
    const double sign = weight[0] + weight[1] + weight[2] < 0.0 ? -1.0 : 1.0;
    double sum = 0.0;
    for (double& x : weight) sum += x = std::max(0.0, sign * x);
    if (!(sum > 0.0) || !std::isfinite(sum)) return {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
    return (1.0 / sum) * weight;
}

namespace {

constexpr std::int64_t steps = 256;  // of a cell

struct Snapped {
    std::int64_t x, y;
};

/// A convex polygon in camera coordinates: a triangle cut by up to five planes.
struct Polygon {
    std::array<Vec3, 8> corner;
    int size = 0;
};

/// The part of a polygon on which plane . (x, y, z) + offset >= 0. The cut of an edge is computed from its inner end,
/// so that both triangles at the edge are cut at the same point.
Polygon clipped(const Polygon& polygon, const Vec3& plane, double offset) {
    Polygon result;
    for (int i = 0; i < polygon.size; ++i) {
        const Vec3& a = polygon.corner[i];
        const Vec3& b = polygon.corner[(i + 1) % polygon.size];
        const double at_a = dot(plane, a) + offset;
        const double at_b = dot(plane, b) + offset;
        if (at_a >= 0.0) result.corner[result.size++] = a;
        if ((at_a >= 0.0) == (at_b >= 0.0)) continue;
        const double share = at_a >= 0.0 ? at_a / (at_a - at_b) : at_b / (at_b - at_a);
        result.corner[result.size++] = at_a >= 0.0 ? a + share * (b - a) : b + share * (a - b);
    }
    return result;
}

class Rasterizer {
public:
    Rasterizer(const Camera& camera, Sides sides, SampleGrid& grid) : camera_(camera), sides_(sides), grid_(grid) {
        const double columns = static_cast<double>(grid.width) / grid.per_pixel;
        const double rows = static_cast<double>(grid.height) / grid.per_pixel;
        margin_ = std::max(columns, rows);
        planes_ = {Vec3{0, 0, 1}, Vec3{camera.focal_x, 0, camera.center_x + margin_},
                   Vec3{-camera.focal_x, 0, columns + margin_ - camera.center_x},
                   Vec3{0, camera.focal_y, camera.center_y + margin_},
                   Vec3{0, -camera.focal_y, rows + margin_ - camera.center_y}};
    }

    void draw(const double* points, const mesh::Corners& vertex, std::int32_t index) {
        Polygon polygon;
        for (std::int32_t v : vertex) polygon.corner[polygon.size++] = Vec3::at(points, v);
        for (std::size_t p = 0; p < planes_.size(); ++p) {
            const double offset = p == 0 ? -camera_.near : 0.0;
            double lowest = 0.0;
            for (int i = 0; i < polygon.size; ++i)
                lowest = std::min(lowest, dot(planes_[p], polygon.corner[i]) + offset);
            if (lowest < 0.0) polygon = clipped(polygon, planes_[p], offset);
            if (polygon.size < 3) return;
        }
        std::array<Snapped, 8> corner;
        for (int i = 0; i < polygon.size; ++i) corner[i] = snapped(polygon.corner[i]);
        for (int i = 1; i + 1 < polygon.size; ++i) fill(corner[0], corner[i], corner[i + 1], points, vertex, index);
    }

private:
    Snapped snapped(const Vec3& point) const {
        const double scale = static_cast<double>(grid_.per_pixel * steps);
        const auto round = [&](double pixels, std::int64_t cells) {
            const double farthest = static_cast<double>(cells) / grid_.per_pixel + 2.0 * margin_;
            return static_cast<std::int64_t>(std::floor(std::clamp(pixels, -farthest, farthest) * scale + 0.5));
        };
        return {round(camera_.focal_x * point[0] / point[2] + camera_.center_x, grid_.width),
                round(camera_.focal_y * point[1] / point[2] + camera_.center_y, grid_.height)};
    }

    void fill(Snapped a, Snapped b, Snapped c, const double* points, const mesh::Corners& vertex, std::int32_t index) {
        const std::int64_t area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if (area == 0 || (area > 0 && sides_ == Sides::front)) return;
        if (area < 0) std::swap(b, c);
        const auto first = [](std::int64_t low) { return std::max<std::int64_t>(0, (low + steps / 2 - 1) / steps); };
        const auto last = [](std::int64_t high, std::int64_t cells) {
            return std::min<std::int64_t>(cells - 1, high < steps / 2 ? -1 : (high - steps / 2) / steps);
        };
        const std::int64_t x0 = first(std::max<std::int64_t>(0, std::min({a.x, b.x, c.x})));
        const std::int64_t y0 = first(std::max<std::int64_t>(0, std::min({a.y, b.y, c.y})));
        const std::int64_t x1 = last(std::max({a.x, b.x, c.x}), grid_.width);
        const std::int64_t y1 = last(std::max({a.y, b.y, c.y}), grid_.height);
        if (x0 > x1 || y0 > y1) return;
        const std::array<Edge, 3> edges{Edge(a, b, x0, y0), Edge(b, c, x0, y0), Edge(c, a, x0, y0)};
        const SeenTriangle seen(points, vertex);
        for (std::int64_t y = y0; y <= y1; ++y) {
            std::array<std::int64_t, 3> value;
            for (int e = 0; e < 3; ++e) value[e] = edges[e].value + (y - y0) * edges[e].down;
            for (std::int64_t x = x0; x <= x1; ++x) {
                if ((value[0] | value[1] | value[2]) >= 0) see(x, y, seen, index);
                for (int e = 0; e < 3; ++e) value[e] += edges[e].right;
            }
        }
    }

    /// Twice the area of the edge and a sample, less 1 if samples on the edge belong to the other triangle: at least 0
    /// inside.
    struct Edge {
        Edge(Snapped from, Snapped to, std::int64_t x, std::int64_t y)
            : right(-(to.y - from.y) * steps), down((to.x - from.x) * steps) {
            const bool left_or_top = to.y < from.y || (to.y == from.y && to.x > from.x);
            value = (to.x - from.x) * (y * steps + steps / 2 - from.y) -
                    (to.y - from.y) * (x * steps + steps / 2 - from.x) - (left_or_top ? 0 : 1);
        }
        std::int64_t value, right, down;
    };

    void see(std::int64_t x, std::int64_t y, const SeenTriangle& seen, std::int32_t index) {
        const Vec3 ray = camera_.ray((static_cast<double>(x) + 0.5) / grid_.per_pixel,
                                     (static_cast<double>(y) + 0.5) / grid_.per_pixel);
        const auto inverse = static_cast<float>(seen.inverse_depth(ray, camera_.near));
        const std::int64_t cell = y * grid_.width + x;
        if (!(inverse > grid_.inverse_depth[cell])) return;
        grid_.inverse_depth[cell] = inverse;
        grid_.triangle[cell] = index;
    }

    const Camera& camera_;
    Sides sides_;
    SampleGrid& grid_;
    double margin_;
    std::array<Vec3, 5> planes_;
};

}  // namespace

void rasterize(const double* points, const std::vector<DrawnTriangle>& triangles, const Camera& camera, Sides sides,
               SampleGrid& grid) {
    Rasterizer rasterizer(camera, sides, grid);
    for (std::size_t i = 0; i < triangles.size(); ++i)
        rasterizer.draw(points, triangles[i].vertex, static_cast<std::int32_t>(i));
}

}  // namespace rigcast::render
