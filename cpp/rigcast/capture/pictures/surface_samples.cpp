#include "rigcast/capture/pictures/surface_samples.h"

#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::capture {
namespace {

constexpr std::int64_t line = 16;  // floats of a cache line

/// The three corners of every sample as points of their own.
PointModel corners_of(const rig::BlendshapeRig& rig, const PointPlaces& places, View<const double, 1> strength) {
    const std::int64_t count = places.vertices.extent(0);
    check_shape<const std::int32_t, 2>("SurfaceSamples", "vertices", places.vertices, {count, 3});
    check_shape<const double, 2>("SurfaceSamples", "weights", places.weights, {count, 3});
    check_finite("SurfaceSamples", "weights", places.weights);
    std::vector<std::int32_t> vertices;
    for (const std::int32_t v : places.vertices) vertices.insert(vertices.end(), 3, v);
    std::vector<double> ones(vertices.size(), 0.0), none(vertices.size(), 0.0);
    for (std::size_t i = 0; i < ones.size(); i += 3) ones[i] = 1.0;
    return {rig,
            {{vertices.data(), {3 * count, 3}}, {ones.data(), {3 * count, 3}}},
            strength,
            {none.data(), {3 * count, 3}}};
}

}  // namespace

SurfaceSamples::SurfaceSamples(const rig::BlendshapeRig& rig, const PointPlaces& places,
                               View<const double, 1> importance, View<const double, 1> strength)
    : corners_(corners_of(rig, places, strength)),
      shares_(places.weights.begin(), places.weights.end()),
      importance_(importance.begin(), importance.end()),
      row_width_((corners_.num_shapes() + line - 1) / line * line) {
    check_shape<const double, 1>("SurfaceSamples", "importance", importance, {places.vertices.extent(0)});
    for (const double value : importance) {
        if (value > 0.0 && std::isfinite(value)) continue;
        throw bad_argument("SurfaceSamples", "importance", std::to_string(value), "finite and above 0");
    }
    if (rig.num_columns() > rig.num_shapes()) return;
    std::vector<double> rows(static_cast<std::size_t>(num_shapes() * num_samples() * numbers));
    const std::vector<double> rest(static_cast<std::size_t>(num_shapes()), 0.0);
    corners_.linearize(rest.data(), rows.data());
    linear_.resize(static_cast<std::size_t>(num_samples() * numbers * row_width_));
    transpose(rows, linear_.data());
}

void SurfaceSamples::transpose(const std::vector<double>& rows, float* to) const {
    const std::int64_t count = num_samples() * numbers, shapes = num_shapes();
    std::fill(to, to + count * row_width_, 0.0f);
    for (std::int64_t k = 0; k < shapes; ++k) {
        const double* from = rows.data() + k * count;
        for (std::int64_t i = 0; i < count; ++i) to[i * row_width_ + k] = static_cast<float>(from[i]);
    }
}

const float* SurfaceSamples::derivatives(const double* weights, LineVector<float>* memory) const {
    if (!linear_.empty()) return linear_.data();
    std::vector<double> rows(static_cast<std::size_t>(num_shapes() * num_samples() * numbers));
    corners_.linearize(weights, rows.data());
    memory->resize(static_cast<std::size_t>(num_samples() * numbers * row_width_));
    transpose(rows, memory->data());
    return memory->data();
}

}  // namespace rigcast::capture
