#include <algorithm>
#include <cmath>
#include <vector>

#include "rigcast/face/mend_uvs.h"
#include "rigcast/linalg/band_factorization.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::face {
namespace {

constexpr double flat = 1e-9;  // ridge of the normal equations, of their trace: decides the map across a flat mesh

double winding(View<const double, 2> uvs, std::int32_t a, std::int32_t b, std::int32_t c) {
    const double x = uvs(b, 0) - uvs(a, 0);
    const double y = uvs(b, 1) - uvs(a, 1);
    return x * (uvs(c, 1) - uvs(a, 1)) - y * (uvs(c, 0) - uvs(a, 0));
}

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

TextureMotion::TextureMotion(View<const double, 2> uvs, View<const float, 2> rest, View<const float, 3> offsets)
    : offsets_(offsets) {
    const std::int64_t count = uvs.extent(0);
    double mean[5] = {};
    for (std::int64_t v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) mean[i] += rest(v, i) / static_cast<double>(count);
        for (int i = 0; i < 2; ++i) mean[3 + i] += uvs(v, i) / static_cast<double>(count);
    }
    linalg::BandFactorization normal(3, 2);
    for (std::int64_t v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) {
            const double x = rest(v, i) - mean[i];
            for (int j = 0; j <= i; ++j) normal.lower(i, j) += x * (rest(v, j) - mean[j]);
            for (int j = 0; j < 2; ++j) map_[2 * i + j] += x * (uvs(v, j) - mean[3 + j]);
        }
    }
    const double trace = normal.lower(0, 0) + normal.lower(1, 1) + normal.lower(2, 2);
    for (int i = 0; i < 3; ++i) normal.lower(i, i) += flat * trace;
    if (normal.factorize()) {
        normal.solve(map_.data(), 2);
    } else {  // all rest vertices in one place
        map_.fill(0.0);
    }
}

void TextureMotion::add(std::int64_t frame, double factor, double* uvs) const {
    if (factor == 0.0) return;
    for (std::int64_t v = 0; v < offsets_.extent(1); ++v) {
        const float* const d = offsets_.row(frame) + 3 * v;
        for (int j = 0; j < 2; ++j) {
            uvs[2 * v + j] += factor * (d[0] * map_[j] + d[1] * map_[2 + j] + d[2] * map_[4 + j]);
        }
    }
}

std::vector<double> edge_changes(const std::vector<mesh::Edge>& edges, View<const float, 3> offsets) {
    std::vector<double> change(edges.size(), 0.0);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        for (std::int64_t t = 0; t < offsets.extent(0); ++t) {
            for (int axis = 0; axis < 3; ++axis) {
                const double gap = double{offsets(t, edges[e].a, axis)} - offsets(t, edges[e].b, axis);
                change[e] += gap * gap;
            }
        }
        change[e] = std::sqrt(change[e]);
    }
    return change;
}

std::int64_t num_folded(View<const double, 2> uvs, View<const std::int32_t, 2> faces) {
    std::int64_t left = 0;
    std::int64_t right = 0;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* const corner = faces.row(f);
        for (int k = 2; k < mesh::num_corners(corner); ++k) {
            const double area = winding(uvs, corner[0], corner[k - 1], corner[k]);
            left += area > 0.0;
            right += area < 0.0;
        }
    }
    return std::min(left, right);
}

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
