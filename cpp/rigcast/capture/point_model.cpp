#include "rigcast/capture/point_model.h"

#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::capture {

PointModel::PointModel(const rig::BlendshapeRig& rig, const PointPlaces& places, View<const double, 1> strength,
                       View<const double, 2> offsets)
    : num_points_(places.vertices.extent(0)), num_shapes_(rig.num_shapes()) {
    check(rig, places, strength, offsets);
    const std::int64_t width = 3 * num_points_;
    const std::int64_t columns = rig.num_columns();
    rest_.resize(static_cast<std::size_t>(width));
    gather(places, rig.character().rest_vertices, 1.0, rest_.data());
    for (std::int64_t i = 0; i < width; ++i) rest_[i] += offsets.data()[i];
    std::vector<double> scale(strength.begin(), strength.end());
    for (std::int64_t c = 0; c < columns - num_shapes_; ++c) {
        std::vector<Factor> list;
        double product = 1.0;
        for (const rig::Driver& driver : rig.drivers(c)) {
            list.push_back({driver.shape, driver.is_tent, {driver.tent.x1, driver.tent.x2, driver.tent.x3}});
            product *= strength(driver.shape);
        }
        factors_.push_back(std::move(list));
        scale.push_back(product);
    }
    deltas_.resize(static_cast<std::size_t>(columns * width));
    std::vector<float> dense(static_cast<std::size_t>(3 * rig.character().num_vertices()));
    const View<float, 2> delta(dense.data(), {rig.character().num_vertices(), 3});
    for (std::int64_t n = 0; n < columns; ++n) {
        rig.column(n, delta);
        gather(places, {dense.data(), {rig.character().num_vertices(), 3}}, scale[n], deltas_.data() + n * width);
    }
    for (std::int64_t k = 0; k < num_shapes_; ++k) {
        low_.push_back(rig.bounds()(k, 0));
        high_.push_back(rig.bounds()(k, 1));
    }
    double mean[3] = {0.0, 0.0, 0.0};
    for (std::int64_t i = 0; i < width; ++i) mean[i % 3] += rest_[i] / static_cast<double>(num_points_);
    for (std::int64_t i = 0; i < width; ++i) radius_ += (rest_[i] - mean[i % 3]) * (rest_[i] - mean[i % 3]);
    radius_ = std::sqrt(radius_ / static_cast<double>(num_points_));
}

void PointModel::check(const rig::BlendshapeRig& rig, const PointPlaces& places, View<const double, 1> strength,
                       View<const double, 2> offsets) const {
    const char* name = "PointModel";
    if (num_points_ == 0) throw bad_argument(name, "vertices", "empty", "at least one point");
    check_shape<const std::int32_t, 2>(name, "vertices", places.vertices, {num_points_, 3});
    check_shape<const double, 2>(name, "weights", places.weights, {num_points_, 3});
    check_shape<const double, 1>(name, "strength", strength, {num_shapes_});
    check_shape<const double, 2>(name, "offsets", offsets, {num_points_, 3});
    check_finite(name, "weights", places.weights);
    check_finite(name, "strength", strength);
    check_finite(name, "offsets", offsets);
    for (const std::int32_t v : places.vertices) {
        if (v >= 0 && v < rig.character().num_vertices()) continue;
        throw bad_argument(name, "vertices", "with vertex " + std::to_string(v),
                           "0 to " + std::to_string(rig.character().num_vertices() - 1));
    }
}

/// Writes scale times the places (P, 3) in an array of vertices (V, 3).
void PointModel::gather(const PointPlaces& places, View<const float, 2> vertices, double scale, double* result) const {
    for (std::int64_t i = 0; i < num_points_; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            double sum = 0.0;
            for (int j = 0; j < 3; ++j) sum += places.weights(i, j) * vertices(places.vertices(i, j), axis);
            result[3 * i + axis] = scale * sum;
        }
    }
}

void PointModel::evaluate(const double* weights, double* positions) const {
    const std::int64_t width = 3 * num_points_;
    std::copy(rest_.begin(), rest_.end(), positions);
    for (std::int64_t n = 0; n < num_shapes_ + std::ssize(factors_); ++n) {
        double activation = n < num_shapes_ ? weights[n] : 1.0;
        if (n >= num_shapes_) {
            for (const Factor& f : factors_[n - num_shapes_]) activation *= f.value(weights[f.shape]);
        }
        if (activation == 0.0) continue;
        const double* delta = deltas_.data() + n * width;
        for (std::int64_t i = 0; i < width; ++i) positions[i] += activation * delta[i];
    }
}

void PointModel::linearize(const double* weights, double* derivatives) const {
    const std::int64_t width = 3 * num_points_;
    std::copy(deltas_.begin(), deltas_.begin() + num_shapes_ * width, derivatives);
    for (std::size_t c = 0; c < factors_.size(); ++c) {
        const double* delta = deltas_.data() + (num_shapes_ + static_cast<std::int64_t>(c)) * width;
        for (std::size_t at = 0; at < factors_[c].size(); ++at) {
            const Factor& varied = factors_[c][at];
            double slope = varied.slope(weights[varied.shape]);
            for (std::size_t other = 0; other < factors_[c].size(); ++other) {
                if (other != at) slope *= factors_[c][other].value(weights[factors_[c][other].shape]);
            }
            if (slope == 0.0) continue;
            double* row = derivatives + varied.shape * width;
            for (std::int64_t i = 0; i < width; ++i) row[i] += slope * delta[i];
        }
    }
}

}  // namespace rigcast::capture
