#include "rigcast/capture/pictures/visibility.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::capture {
namespace {

using linalg::Vec3;

constexpr double tolerance = 0.06;  // of the radius: what lies so far behind the surface is hidden
constexpr double grazing = 0.2;     // cosine between normal and view below which a sample is not used

Vec3 placed_at(const HeadPose& head, const Vec3& y) {
    Vec3 result;
    for (int a = 0; a < 3; ++a) {
        const double* row = head.rotation.data() + 3 * a;
        result[a] = row[0] * y[0] + row[1] * y[1] + row[2] * y[2] + head.translation[a];
    }
    return result;
}

}  // namespace

Visibility::Visibility(const rig::BlendshapeRig& rig, const SurfaceSamples& samples, const Occluder& occluder,
                       const Camera& camera, std::int64_t cells)
    : samples_(samples), camera_(camera), cells_(cells), mesh_(rig.restricted(occluder.vertices)) {
    check_shape<const std::int32_t, 2>("Visibility", "triangles", occluder.triangles, {-1, 3});
    const std::int64_t count = occluder.vertices.extent(0);
    for (std::int64_t i = 0; i < occluder.triangles.extent(0); ++i) {
        render::DrawnTriangle triangle{};
        for (int c = 0; c < 3; ++c) {
            const std::int32_t v = occluder.triangles(i, c);
            if (v < 0 || v >= count) {
                throw bad_argument("Visibility", "triangles", "with vertex " + std::to_string(v),
                                   "0 to " + std::to_string(count - 1));
            }
            triangle.vertex[c] = v;
        }
        triangle.face = static_cast<std::int32_t>(i);
        triangles_.push_back(triangle);
    }
    vertices_.resize(static_cast<std::size_t>(3 * count));
    placed_.resize(vertices_.size());
    corners_.resize(static_cast<std::size_t>(SurfaceSamples::numbers * samples.num_samples()));
    hidden_.assign(static_cast<std::size_t>(samples.num_samples()), 0);
}

void Visibility::draw_surface(const double* weights, const HeadPose& head, std::int64_t height, std::int64_t width) {
    const std::int64_t shapes = samples_.num_shapes(), count = std::ssize(vertices_) / 3;
    std::vector<float> pose(weights, weights + shapes);
    mesh_->evaluate({pose.data(), {1, shapes}}, {vertices_.data(), {1, count, 3}}, 1);
    for (std::int64_t v = 0; v < count; ++v) {
        placed_at(head, Vec3::at(vertices_.data(), v)).write(placed_.data() + 3 * v);
    }
    const double scale = std::min(1.0, static_cast<double>(cells_) / static_cast<double>(std::max(height, width)));
    lens_.focal_x = lens_.focal_y = scale * camera_.focal;
    lens_.center_x = scale * camera_.center_x;
    lens_.center_y = scale * camera_.center_y;
    lens_.near = 0.05 * samples_.radius();
    grid_ = render::SampleGrid(static_cast<std::int64_t>(std::ceil(scale * static_cast<double>(width))),
                               static_cast<std::int64_t>(std::ceil(scale * static_cast<double>(height))), 1);
    render::rasterize(placed_.data(), triangles_, lens_, render::Sides::front, grid_);
}

/// Returns true if the surface in all four cells around a place is nearer than it.
bool Visibility::is_behind(const Vec3& place) const {
    const double u = lens_.focal_x * place[0] / place[2] + lens_.center_x - 0.5;
    const double v = lens_.focal_y * place[1] / place[2] + lens_.center_y - 0.5;
    const auto column = static_cast<std::int64_t>(std::floor(u)), line = static_cast<std::int64_t>(std::floor(v));
    const double farthest = place[2] - tolerance * samples_.radius();
    for (std::int64_t y = line; y <= line + 1; ++y) {
        for (std::int64_t x = column; x <= column + 1; ++x) {
            if (x < 0 || y < 0 || x >= grid_.width || y >= grid_.height) return false;
            const double inverse = grid_.inverse_depth[y * grid_.width + x];
            if (!(inverse * farthest > 1.0)) return false;
        }
    }
    return true;
}

void Visibility::see(const double* weights, const HeadPose& head, std::int64_t height, std::int64_t width, bool draw,
                     std::vector<std::uint8_t>* seen) {
    if (draw) draw_surface(weights, head, height, width);
    samples_.evaluate(weights, corners_.data());
    seen->assign(hidden_.size(), 0);
    for (std::size_t i = 0; i < hidden_.size(); ++i) {
        const double* corner = corners_.data() + SurfaceSamples::numbers * i;
        const double* share = samples_.shares(static_cast<std::int64_t>(i));
        Vec3 at[3], place{0.0, 0.0, 0.0};
        for (int j = 0; j < 3; ++j) {
            at[j] = placed_at(head, Vec3::at(corner, j));
            place = place + share[j] * at[j];
        }
        if (!(place[2] > lens_.near)) continue;
        if (draw) hidden_[i] = is_behind(place);
        const Vec3 normal = cross(at[1] - at[0], at[2] - at[0]);
        const double facing = -dot(normal, place) / std::max(length(normal) * length(place), 1e-300);
        const double x = camera_.center_x + camera_.focal * place[0] / place[2];
        const double y = camera_.center_y + camera_.focal * place[1] / place[2];
        const bool inside =
            x > 1.0 && y > 1.0 && x < static_cast<double>(width) - 1.0 && y < static_cast<double>(height) - 1.0;
        (*seen)[i] = !hidden_[i] && facing > grazing && inside;
    }
}

}  // namespace rigcast::capture
