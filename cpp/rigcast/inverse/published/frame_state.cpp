#include <algorithm>
#include <cmath>

#include "rigcast/inverse/published/majorize_minimize.h"
#include "rigcast/optimize/quartic.h"

namespace rigcast::inverse {
namespace {

// A bound on S(g) may exceed it by this share of sum |h_i|^2: larger shares shorten the steps, smaller ones compute
// residuals from the vertices more often. Chosen, not tuned.
constexpr double allowed_excess = 0.01;

// Of the authors' released code: how many times as far a step is tried, the longest first.
constexpr double lengths[] = {50.0, 20.0, 10.0, 5.0};

}  // namespace

MajorizeMinimize::FrameState::FrameState(const MajorizeMinimize& method, const Frames& frames, std::int64_t frame)
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

const Surrogate& MajorizeMinimize::FrameState::majorize(const double* w) {
    activate(w);
    double gradient_norm = 0.0;  // sum |h_i|^2
    for (const auto& group : method_.groups_) linearize(group, w, gradient_norm);
    const double curvature = 2.0 * (gradient_norm + bound_on_corrections(gradient_norm));
    for (std::int64_t k = 0; k < products_.num_variables(); ++k) {
        surrogate_.r[k] = curvature + frames_.curvature(frame_, k);
    }
    return surrogate_;
}

double MajorizeMinimize::FrameState::step(double* w) {
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

double MajorizeMinimize::FrameState::lengthened_step(double* w) {
    const auto shapes = static_cast<std::size_t>(products_.num_variables());
    const double before = surrogate_.value;
    start_.assign(w, w + shapes);
    step(w);
    const double reached = objective(w);
    for (const double length : lengths) {
        longer_.resize(shapes);
        for (std::size_t k = 0; k < shapes; ++k) {
            const auto shape = static_cast<std::int32_t>(k);
            longer_[k] = std::clamp(start_[k] + length * (w[k] - start_[k]), lower(shape), upper(shape));
        }
        const double further = objective(longer_.data());
        if (!(further < reached)) continue;
        std::copy(longer_.begin(), longer_.end(), w);
        return before - further;
    }
    return before - reached;
}

double MajorizeMinimize::FrameState::objective(const double* w) {
    activate(w);
    return surrogate_.value;
}

void MajorizeMinimize::FrameState::activate(const double* w) {
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

double MajorizeMinimize::FrameState::slope_of_objective(std::int32_t k, const double* w, int side) const {
    const double* projection = frames_.projections.row(frame_);
    double slope = frames_.linear(frame_, k) + 2.0 * frames_.curvature(frame_, k) * w[k];
    for (const std::int32_t n : products_.users(k)) {
        slope += 2.0 * products_.slope(n, k, w, side) * (image_[n] - projection[n]);
    }
    return slope;
}

int MajorizeMinimize::FrameState::side_of(const std::vector<std::int32_t>& group, const double* w) const {
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

void MajorizeMinimize::FrameState::linearize(const std::vector<std::int32_t>& group, const double* w,
                                             double& gradient_norm) {
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

double MajorizeMinimize::FrameState::squared_gradient(std::int32_t k, const double* w, int side) {
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

double MajorizeMinimize::FrameState::bound_on_corrections(double gradient_norm) {
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

double MajorizeMinimize::FrameState::sum_corrections() {
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

}  // namespace rigcast::inverse
