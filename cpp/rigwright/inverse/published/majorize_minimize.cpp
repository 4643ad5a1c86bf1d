#include "rigwright/inverse/published/majorize_minimize.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigwright/core/check.h"
#include "rigwright/core/parallel.h"
#include "rigwright/linalg/gram_kernels.h"
#include "rigwright/optimize/quartic.h"

namespace rigwright::inverse {
namespace {

constexpr const char* class_name = "MajorizeMinimize";

// A bound on S(g) may exceed it by this share of sum |h_i|^2: larger shares shorten the steps, smaller ones compute
// residuals from the vertices more often. Chosen, not tuned.
constexpr double allowed_excess = 0.01;

std::vector<std::vector<std::int32_t>> groups_of(View<const std::int64_t, 1> ties) {
    std::vector<std::vector<std::int32_t>> by_owner(ties.size());
    std::vector<std::vector<std::int32_t>> groups;
    for (std::int64_t k = 0; k < ties.size(); ++k) by_owner[ties(k)].push_back(static_cast<std::int32_t>(k));
    for (auto& group : by_owner) {
        if (!group.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

/// One frame's iteration: the activations at its weights, and the surrogate around them.
class MajorizeMinimize::FrameState {
public:
    FrameState(const MajorizeMinimize& method, const Frames& frames, std::int64_t frame)
        : method_(method),
          products_(method.products_),
          frames_(frames),
          frame_(frame),
          activation_(products_.num_columns()),
          image_(products_.num_columns()),
          slope_(products_.num_columns()),
          low_end_(products_.num_variables()),
          high_end_(products_.num_variables()),
          residual_(method.bounds_.coordinate.size()) {
        const auto shapes = static_cast<std::size_t>(products_.num_variables());
        for (auto* list : {&surrogate_.q, &surrogate_.r, &surrogate_.low, &surrogate_.high}) list->resize(shapes);
        surrogate_.s = 2.0 * static_cast<double>(shapes) * method.lipschitz_ * method.lipschitz_;
    }

    /// The surrogate around weights w (eq. 18).
    const Surrogate& majorize(const double* w) {
        activate(w);
        double gradient_norm = 0.0;  // sum |h_i|^2
        for (const auto& group : method_.groups_) linearize(group, w, gradient_norm);
        const double curvature = 2.0 * (gradient_norm + bound_on_corrections(gradient_norm));
        for (std::int64_t k = 0; k < products_.num_variables(); ++k) {
            surrogate_.r[k] = curvature + frames_.curvature(frame_, k);
        }
        return surrogate_;
    }

    /// Moves w to the minimizer of the surrogate (algorithm 1). Returns by how much the surrogate decreases.
    double step(double* w) {
        double decrease = 0.0;
        stopped_at_knot_ = false;
        for (const auto& group : method_.groups_) {
            double q = 0.0;
            double r = 0.0;
            for (const std::int32_t k : group) {
                q += surrogate_.q[k];
                r += surrogate_.r[k];
            }
            const double s = surrogate_.s * static_cast<double>(group.size());
            const std::int32_t owner = group[0];
            const double low = surrogate_.low[owner];
            const double high = surrogate_.high[owner];
            const double v = optimize::minimize_quartic(q, r, s, low, high);
            decrease -= v * (q + v * (r + s * v * v));
            // A step to the end of its range lands exactly there.
            const double end = v == low ? low_end_[owner] : v == high ? high_end_[owner] : w[owner] + v;
            stopped_at_knot_ |= v != 0.0 && (v == low || v == high) && lower(owner) < end && end < upper(owner);
            for (const std::int32_t k : group) w[k] = std::clamp(end, lower(k), upper(k));
        }
        return decrease;
    }

    /// Returns true if a knot cut the last step short: the surrogate bounds nothing beyond it.
    bool stopped_at_knot() const { return stopped_at_knot_; }

private:
    double lower(std::int32_t k) const { return frames_.lower(frame_, k); }
    double upper(std::int32_t k) const { return frames_.upper(frame_, k); }
    const double* gram_row(std::int64_t n) const { return method_.gram_.data() + n * products_.num_columns(); }

    /// Computes the activations at w, their image and the objective.
    void activate(const double* w) {
        const std::int64_t columns = products_.num_columns();
        std::fill(image_.begin(), image_.end(), 0.0);
        for (std::int64_t n = 0; n < columns; ++n) {
            activation_[n] = products_.activation(n, w);
            if (activation_[n] != 0.0) kernels_.add_scaled(activation_[n], gram_row(n), image_.data(), columns);
        }
        const double* projection = frames_.projections.row(frame_);
        fidelity_ = frames_.energies(frame_) + kernels_.dot(activation_.data(), image_.data(), columns) -
                    2.0 * kernels_.dot(activation_.data(), projection, columns);
        fidelity_ = std::max(fidelity_, 0.0);
        surrogate_.value = fidelity_;
        for (std::int64_t k = 0; k < products_.num_variables(); ++k) {
            surrogate_.value += w[k] * (frames_.linear(frame_, k) + frames_.curvature(frame_, k) * w[k]);
        }
    }

    double slope_of_objective(std::int32_t k, const double* w, int side) const {
        const double* projection = frames_.projections.row(frame_);
        double slope = frames_.linear(frame_, k) + 2.0 * frames_.curvature(frame_, k) * w[k];
        for (const std::int32_t n : products_.users(k)) {
            slope += 2.0 * products_.slope(n, k, w, side) * (image_[n] - projection[n]);
        }
        return slope;
    }

    /// The side to which a group moves: that on which the objective falls more steeply; 1 if none of its weights is at
    /// a knot.
    int side_of(const std::vector<std::int32_t>& group, const double* w) const {
        const auto at_knot = [&](std::int32_t k) {
            const auto knots = products_.knots(k);
            return std::binary_search(knots.begin(), knots.end(), w[k]);
        };
        if (std::none_of(group.begin(), group.end(), at_knot)) return 1;
        double right = 0.0;
        double left = 0.0;
        for (const std::int32_t k : group) {
            right -= slope_of_objective(k, w, 1);
            left += slope_of_objective(k, w, -1);
        }
        const std::int32_t owner = group[0];
        if (!(w[owner] < upper(owner))) return -1;
        if (!(w[owner] > lower(owner))) return 1;
        return left > right ? -1 : 1;
    }

    /// Sets q and the range of steps of a group. Adds its part of sum |h_i|^2 to gradient_norm.
    void linearize(const std::vector<std::int32_t>& group, const double* w, double& gradient_norm) {
        const int side = side_of(group, w);
        optimize::Piece piece{lower(group[0]), upper(group[0])};
        const bool pinned = piece.low == piece.high;
        for (const std::int32_t k : group) {
            surrogate_.q[k] = slope_of_objective(k, w, side);
            if (!pinned) gradient_norm += squared_gradient(k, w, side);
            piece = products_.piece(k, w[k], side, piece.low, piece.high);
        }
        for (const std::int32_t k : group) {
            low_end_[k] = piece.low;
            high_end_[k] = piece.high;
            surrogate_.low[k] = std::min(piece.low - w[k], 0.0);
            surrogate_.high[k] = std::max(piece.high - w[k], 0.0);
        }
    }

    /// sum_i omega_i h_ik^2 = J_k^T G J_k
    double squared_gradient(std::int32_t k, const double* w, int side) {
        sloped_.clear();
        for (const std::int32_t n : products_.users(k)) {
            slope_[n] = products_.slope(n, k, w, side);
            if (slope_[n] != 0.0) sloped_.push_back(n);
        }
        double sum = 0.0;
        for (std::size_t a = 0; a < sloped_.size(); ++a) {
            const std::int32_t n = sloped_[a];
            const double* row = gram_row(n);
            double others = 0.5 * slope_[n] * row[n];
            for (std::size_t b = 0; b < a; ++b) others += slope_[sloped_[b]] * row[sloped_[b]];
            sum += 2.0 * slope_[n] * others;
        }
        return sum;
    }

    /// A bound on S(g) = sum omega (g lambda_M + |g| a), at most allowed_excess * gradient_norm above it.
    double bound_on_corrections(double gradient_norm) {
        const double largest = method_.lipschitz_ * std::sqrt(fidelity_);  // S(g) <= S(0) + lipschitz |g|, S(0) = 0
        if (largest <= allowed_excess * gradient_norm) return largest;
        if (!exact_activation_.empty()) {
            double squared_distance = 0.0;  // |g - g'|^2 to the residual whose sum is known
            for (std::size_t n = 0; n < activation_.size(); ++n) {
                squared_distance += (activation_[n] - exact_activation_[n]) * (image_[n] - exact_image_[n]);
            }
            const double drift = method_.lipschitz_ * std::sqrt(std::max(squared_distance, 0.0));
            if (2.0 * drift <= allowed_excess * gradient_norm) return exact_corrections_ + drift;
        }
        exact_activation_ = activation_;
        exact_image_ = image_;
        exact_corrections_ = sum_corrections();
        return exact_corrections_;
    }

    /// S(g) from the residuals g of the coordinates that corrections move.
    double sum_corrections() {
        const CorrectiveBounds& bounds = method_.bounds_;
        const std::size_t count = residual_.size();
        const float* target = frames_.offsets.row(frame_);
        for (std::size_t i = 0; i < count; ++i) residual_[i] = -target[bounds.coordinate[i]];
        for (std::int64_t n = 0; n < products_.num_columns(); ++n) {
            const float a = static_cast<float>(activation_[n]);
            if (a == 0.0f) continue;
            const float* column = method_.coordinate_columns_.data() + static_cast<std::size_t>(n) * count;
            for (std::size_t i = 0; i < count; ++i) residual_[i] += a * column[i];
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            const double g = residual_[i];
            sum += method_.coordinate_weights_[i] *
                   (g * (g < 0.0 ? bounds.lowest[i] : bounds.highest[i]) + std::abs(g) * bounds.other[i]);
        }
        return sum;
    }

    const MajorizeMinimize& method_;
    const optimize::ProductModel& products_;
    const linalg::GramKernels& kernels_ = linalg::gram_kernels();
    const Frames& frames_;
    std::int64_t frame_;
    Surrogate surrogate_;
    double fidelity_ = 0.0;           // |f(w) - b|^2, weighted
    std::vector<double> activation_;  // (N): phi(w)
    std::vector<double> image_;       // (N): G phi(w)
    std::vector<double> slope_;       // (N): of activations along one weight
    std::vector<std::int32_t> sloped_;
    std::vector<double> low_end_;   // (K): weights at the ends of the steps' ranges
    std::vector<double> high_end_;  // (K)
    bool stopped_at_knot_ = false;
    std::vector<float> residual_;  // (R)
    // The last S(g) that was computed from the vertices, and the activations at which.
    double exact_corrections_ = 0.0;
    std::vector<double> exact_activation_;
    std::vector<double> exact_image_;
};

MajorizeMinimize::MajorizeMinimize(optimize::ProductModel products, View<const float, 3> columns,
                                   View<const double, 2> gram, View<const double, 1> vertex_weights,
                                   View<const double, 2> box, View<const std::int64_t, 1> ties, int threads)
    : products_(std::move(products)), num_vertices_(columns.extent(1)), gram_(gram.begin(), gram.end()) {
    const std::int64_t num_columns = products_.num_columns();
    check_shape(class_name, "columns", columns, {num_columns, -1, 3});
    check_shape(class_name, "gram", gram, {num_columns, num_columns});
    check_shape(class_name, "vertex_weights", vertex_weights, {num_vertices_});
    check_shape(class_name, "box", box, {num_shapes(), 2});
    check_shape(class_name, "ties", ties, {num_shapes()});
    for (const std::int64_t owner : ties) {
        if (owner >= 0 && owner < num_shapes()) continue;
        throw bad_argument(class_name, "ties", std::to_string(owner) + " somewhere",
                           "shape indices below " + std::to_string(num_shapes()));
    }
    groups_ = groups_of(ties);
    bounds_ = corrective_bounds(products_, columns, box, threads);
    const std::size_t count = bounds_.coordinate.size();
    coordinate_columns_.resize(static_cast<std::size_t>(num_columns) * count);
    for (std::int64_t n = 0; n < num_columns; ++n) {
        for (std::size_t i = 0; i < count; ++i) {
            coordinate_columns_[n * count + i] = columns.row(n)[bounds_.coordinate[i]];
        }
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double sigma = std::max(-bounds_.lowest[i], bounds_.highest[i]) + bounds_.other[i];
        coordinate_weights_.push_back(vertex_weights(bounds_.coordinate[i] / 3));
        sum += coordinate_weights_[i] * sigma * sigma;
    }
    lipschitz_ = std::sqrt(sum);
}

void MajorizeMinimize::check(const Frames& frames) const {
    const std::int64_t count = frames.offsets.extent(0);
    check_shape(class_name, "offsets", frames.offsets, {count, num_vertices_, 3});
    check_shape(class_name, "projections", frames.projections, {count, products_.num_columns()});
    check_shape(class_name, "energies", frames.energies, {count});
    check_shape(class_name, "linear", frames.linear, {count, num_shapes()});
    check_shape(class_name, "curvature", frames.curvature, {count, num_shapes()});
    check_shape(class_name, "lower", frames.lower, {count, num_shapes()});
    check_shape(class_name, "upper", frames.upper, {count, num_shapes()});
}

void MajorizeMinimize::solve(const Frames& frames, const Rule& rule, View<double, 2> weights,
                             View<std::int64_t, 1> iterations, View<bool, 1> converged, int threads) const {
    check(frames);
    const std::int64_t count = frames.offsets.extent(0);
    check_shape(class_name, "weights", weights, {count, num_shapes()});
    check_shape(class_name, "iterations", iterations, {count});
    check_shape(class_name, "converged", converged, {count});
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            FrameState state(*this, frames, t);
            const double least_decrease = rule.tolerance * frames.energies(t);
            double* w = weights.row(t);
            converged(t) = false;
            std::int64_t steps = 0;
            while (steps < rule.max_iterations && !converged(t)) {
                if (!std::isfinite(state.majorize(w).value)) break;  // overflow: the surrogate's decrease is NaN
                converged(t) = state.step(w) <= least_decrease && !state.stopped_at_knot();
                ++steps;
            }
            iterations(t) = steps;
        }
    });
}

Surrogate MajorizeMinimize::surrogate(const Frames& frames, std::int64_t frame, View<const double, 1> weights) const {
    check(frames);
    check_shape(class_name, "weights", weights, {num_shapes()});
    if (frame < 0 || frame >= frames.offsets.extent(0)) {
        throw bad_argument(class_name, "frame", std::to_string(frame),
                           "a frame index below " + std::to_string(frames.offsets.extent(0)));
    }
    return FrameState(*this, frames, frame).majorize(weights.data());
}

}  // namespace rigwright::inverse
