#include "rigcast/face/overlaps.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rigcast/mesh/triangles.h"

namespace rigcast::face {
namespace {

using mesh::Corners;

double side(View<const double, 2> uvs, std::int32_t a, std::int32_t b, double u, double v) {
    return (uvs(b, 0) - uvs(a, 0)) * (v - uvs(a, 1)) - (uvs(b, 1) - uvs(a, 1)) * (u - uvs(a, 0));
}

bool inside(View<const double, 2> uvs, const Corners& t, double u, double v) {
    const double a = side(uvs, t[0], t[1], u, v);
    const double b = side(uvs, t[1], t[2], u, v);
    const double c = side(uvs, t[2], t[0], u, v);
    return (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
}

bool share_vertex(const Corners& a, const Corners& b) {
    return std::any_of(a.begin(), a.end(), [&](std::int32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

/// Triangles by the cells of a grid that their bounding boxes touch.
class Grid {
public:
    Grid(View<const double, 2> uvs, const std::vector<Corners>& triangles)
        : cells_(std::clamp(static_cast<int>(std::sqrt(static_cast<double>(triangles.size()))), 1, 256)),
          members_(cells_ * cells_) {
        for (int axis = 0; axis < 2; ++axis) {
            low_[axis] = high_[axis] = uvs.extent(0) > 0 ? uvs(0, axis) : 0.0;
            for (std::int64_t v = 0; v < uvs.extent(0); ++v) {
                low_[axis] = std::min(low_[axis], uvs(v, axis));
                high_[axis] = std::max(high_[axis], uvs(v, axis));
            }
        }
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            const auto [a, b, c] = triangles[t];
            const auto [left, right] = std::minmax({uvs(a, 0), uvs(b, 0), uvs(c, 0)});
            const auto [bottom, top] = std::minmax({uvs(a, 1), uvs(b, 1), uvs(c, 1)});
            for (int j = cell(1, bottom); j <= cell(1, top); ++j) {
                for (int i = cell(0, left); i <= cell(0, right); ++i) members_[j * cells_ + i].push_back(t);
            }
        }
    }

    const std::vector<std::size_t>& at(double u, double v) const { return members_[cell(1, v) * cells_ + cell(0, u)]; }

private:
    int cell(int axis, double x) const {
        const double extent = high_[axis] - low_[axis];
        return extent > 0.0 ? std::clamp(static_cast<int>((x - low_[axis]) / extent * cells_), 0, cells_ - 1) : 0;
    }

    int cells_;
    std::vector<std::vector<std::size_t>> members_;
    double low_[2], high_[2];
};

}  // namespace

std::int64_t num_overlapped(View<const double, 2> uvs, View<const std::int32_t, 2> faces) {
    std::vector<Corners> triangles;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        mesh::for_each_triangle(faces.row(f), [&](const Corners& corners) { triangles.push_back(corners); });
    }
    const Grid grid(uvs, triangles);
    std::int64_t count = 0;
    for (const Corners& t : triangles) {
        const double u = (uvs(t[0], 0) + uvs(t[1], 0) + uvs(t[2], 0)) / 3.0;
        const double v = (uvs(t[0], 1) + uvs(t[1], 1) + uvs(t[2], 1)) / 3.0;
        const std::vector<std::size_t>& near = grid.at(u, v);
        count += std::any_of(near.begin(), near.end(), [&](std::size_t other) {
            return inside(uvs, triangles[other], u, v) && !share_vertex(t, triangles[other]);
        });
    }
    return count;
}

}  // namespace rigcast::face
