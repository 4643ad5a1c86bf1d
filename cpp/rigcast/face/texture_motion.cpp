#include "rigcast/face/texture_motion.h"

#include <algorithm>
#include <cmath>

#include "rigcast/linalg/band_factorization.h"

namespace rigcast::face {
namespace {

constexpr double flat = 1e-9;  // ridge of the normal equations, of their trace: decides the map across a flat mesh

double winding(View<const double, 2> uvs, std::int32_t a, std::int32_t b, std::int32_t c) {
    const double x = uvs(b, 0) - uvs(a, 0);
    const double y = uvs(b, 1) - uvs(a, 1);
    return x * (uvs(c, 1) - uvs(a, 1)) - y * (uvs(c, 0) - uvs(a, 0));
}

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

}  // namespace rigcast::face
