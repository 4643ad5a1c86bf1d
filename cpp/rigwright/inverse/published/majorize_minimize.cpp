#include "rigwright/inverse/published/majorize_minimize.h"

#include <algorithm>
#include <cmath>

#include "rigwright/core/check.h"
#include "rigwright/core/parallel.h"
#include "rigwright/linalg/gram_kernels.h"
#include "rigwright/optimize/quartic.h"

namespace rigwright::inverse {
namespace {

constexpr double slack = 0.01;  // how much of sum |h_i|^2 a bound on S(g) may exceed it by

std::vector<std::vector<std::int32_t>> groups_of(View<const std::int64_t, 1> ties) {
    std::vector<std::vector<std::int32_t>> by_owner(ties.size()), groups;
    for (std::int64_t k = 0; k < ties.size(); ++k) by_owner[ties(k)].push_back(static_cast<std::int32_t>(k));
    for (auto& group : by_owner) {
        if (!group.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

/// One frame on its way: where it is, and the bound around it.
class MajorizeMinimize::FrameState {
public:
    FrameState(const MajorizeMinimize& method, const Frames& frames, std::int64_t frame)
        : m_(method),
          s_(method.products_),
          f_(frames),
          t_(frame),
          activation_(s_.num_columns()),
          product_(s_.num_columns()),
          slope_(s_.num_columns()),
          bent_(method.bounds_.coordinate.size()) {
        const std::size_t shapes = static_cast<std::size_t>(s_.num_variables());
        for (auto* list : {&bound_.q, &bound_.r, &bound_.low, &bound_.high}) list->resize(shapes);
        bound_.s = 2.0 * static_cast<double>(shapes) * m_.spread_ * m_.spread_;
    }

    const Surrogate& surround(const double* w) {
        activate(w);
        double norm = 0.0;  // sum |h_i|^2
        for (const auto& group : m_.groups_) linearize(group, w, &norm);
        const double curvature = 2.0 * (norm + bent_residual(norm));
        for (std::int64_t k = 0; k < s_.num_variables(); ++k) bound_.r[k] = curvature + f_.curvature(t_, k);
        return bound_;
    }

    /// Algorithm 1: moves w to the bound's minimizer and returns by how much the bound falls.
    double step(double* w) {
        double decrease = 0.0;
        stopped_at_knot_ = false;
        for (const auto& group : m_.groups_) {
            double q = 0.0, r = 0.0;
            for (const std::int32_t k : group) {
                q += bound_.q[k];
                r += bound_.r[k];
            }
            const double s = bound_.s * static_cast<double>(group.size());
            const std::int32_t owner = group[0];
            const double low = bound_.low[owner], high = bound_.high[owner];
            const double v = optimize::minimize_quartic(q, r, s, low, high);
            decrease -= v * (q + v * (r + s * v * v));
            // a step to the end of its range arrives there exactly
            const double end = v == low ? target_low_[owner] : v == high ? target_high_[owner] : w[owner] + v;
            stopped_at_knot_ |=
                v != 0.0 && (v == low || v == high) && f_.lower(t_, owner) < end && end < f_.upper(t_, owner);
            for (const std::int32_t k : group) w[k] = std::clamp(end, f_.lower(t_, k), f_.upper(t_, k));
        }
        return decrease;
    }

    /// Whether the last step was cut short where another piece of a tent begins: the bound says nothing beyond.
    bool stopped_at_knot() const { return stopped_at_knot_; }

private:
    const double* gram_row(std::int64_t n) const { return m_.gram_.data() + n * s_.num_columns(); }

    /// phi(w), G phi, and the objective.
    void activate(const double* w) {
        const std::int64_t columns = s_.num_columns();
        std::fill(product_.begin(), product_.end(), 0.0);
        for (std::int64_t n = 0; n < columns; ++n) {
            activation_[n] = s_.activation(n, w);
            if (activation_[n] != 0.0) kernels_.add_scaled(activation_[n], gram_row(n), product_.data(), columns);
        }
        const double* projection = f_.projections.row(t_);
        fidelity_ = f_.energies(t_) + kernels_.dot(activation_.data(), product_.data(), columns) -
                    2.0 * kernels_.dot(activation_.data(), projection, columns);
        fidelity_ = std::max(fidelity_, 0.0);
        bound_.value = fidelity_;
        for (std::int64_t k = 0; k < s_.num_variables(); ++k) {
            bound_.value += w[k] * (f_.linear(t_, k) + f_.curvature(t_, k) * w[k]);
        }
    }

    double slope_of_objective(std::int32_t k, const double* w, int side) const {
        const double* projection = f_.projections.row(t_);
        double slope = f_.linear(t_, k) + 2.0 * f_.curvature(t_, k) * w[k];
        for (const std::int32_t n : s_.users(k)) {
            slope += 2.0 * s_.slope(n, k, w, side) * (product_[n] - projection[n]);
        }
        return slope;
    }

    /// The side of the weights of a group on which the objective falls more steeply; 1 where they are at no knot.
    int side_of(const std::vector<std::int32_t>& group, const double* w) const {
        const auto at_knot = [&](std::int32_t k) {
            const auto knots = s_.knots(k);
            return std::binary_search(knots.begin(), knots.end(), w[k]);
        };
        if (std::none_of(group.begin(), group.end(), at_knot)) return 1;
        double right = 0.0, left = 0.0;
        for (const std::int32_t k : group) {
            right -= slope_of_objective(k, w, 1);
            left += slope_of_objective(k, w, -1);
        }
        const std::int32_t owner = group[0];
        if (!(w[owner] < f_.upper(t_, owner))) return -1;
        if (!(w[owner] > f_.lower(t_, owner))) return 1;
        return left > right ? -1 : 1;
    }

    /// q, the range of steps, and the group's part of sum |h_i|^2.
    void linearize(const std::vector<std::int32_t>& group, const double* w, double* norm) {
        const int side = side_of(group, w);
        double low = f_.lower(t_, group[0]), high = f_.upper(t_, group[0]);
        const bool pinned = low == high;
        for (const std::int32_t k : group) {
            bound_.q[k] = slope_of_objective(k, w, side);
            if (!pinned) *norm += squared_gradient(k, w, side);
            const optimize::Piece piece = s_.piece(k, w[k], side, low, high);
            low = piece.low;
            high = piece.high;
        }
        for (const std::int32_t k : group) {
            target_low_[k] = low;
            target_high_[k] = high;
            bound_.low[k] = std::min(low - w[k], 0.0);
            bound_.high[k] = std::max(high - w[k], 0.0);
        }
    }

    /// sum_i omega_i h_ik^2 = J_k^T G J_k
    double squared_gradient(std::int32_t k, const double* w, int side) {
        moved_.clear();
        for (const std::int32_t n : s_.users(k)) {
            slope_[n] = s_.slope(n, k, w, side);
            if (slope_[n] != 0.0) moved_.push_back(n);
        }
        double sum = 0.0;
        for (std::size_t a = 0; a < moved_.size(); ++a) {
            const double* row = gram_row(moved_[a]);
            double others = 0.5 * slope_[moved_[a]] * row[moved_[a]];
            for (std::size_t b = 0; b < a; ++b) others += slope_[moved_[b]] * row[moved_[b]];
            sum += 2.0 * slope_[moved_[a]] * others;
        }
        return sum;
    }

    /// At least S(g) = sum omega (g lambda_M + |g| a), at most `slack * norm` above it.
    double bent_residual(double norm) {
        const double farthest = m_.spread_ * std::sqrt(fidelity_);  // S(g) <= S(0) + spread |g|
        if (farthest <= slack * norm) return farthest;
        if (!known_activation_.empty()) {
            double square = 0.0;
            for (std::size_t n = 0; n < activation_.size(); ++n) {
                square += (activation_[n] - known_activation_[n]) * (product_[n] - known_product_[n]);
            }
            const double drift = m_.spread_ * std::sqrt(std::max(square, 0.0));
            if (2.0 * drift <= slack * norm) return known_ + drift;
        }
        known_activation_ = activation_;
        known_product_ = product_;
        known_ = exact_bent_residual();
        return known_;
    }

    double exact_bent_residual() {
        const CorrectiveBounds& bounds = m_.bounds_;
        const std::size_t rows = bent_.size();
        const float* target = f_.offsets.row(t_);
        for (std::size_t i = 0; i < rows; ++i) bent_[i] = -target[bounds.coordinate[i]];
        for (std::int64_t n = 0; n < s_.num_columns(); ++n) {
            const float a = static_cast<float>(activation_[n]);
            if (a == 0.0f) continue;
            const float* column = m_.bent_columns_.data() + static_cast<std::size_t>(n) * rows;
            for (std::size_t i = 0; i < rows; ++i) bent_[i] += a * column[i];
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < rows; ++i) {
            const double g = bent_[i];
            sum += m_.bent_weight_[i] *
                   (g * (g < 0.0 ? bounds.lowest[i] : bounds.highest[i]) + std::abs(g) * bounds.other[i]);
        }
        return sum;
    }

    const MajorizeMinimize& m_;
    const optimize::ProductModel& s_;
    const linalg::GramKernels& kernels_ = linalg::gram_kernels();
    const Frames& f_;
    std::int64_t t_;
    Surrogate bound_;
    double fidelity_ = 0.0, known_ = 0.0;
    std::vector<double> activation_, product_;              // phi(w) and G phi(w)
    std::vector<double> known_activation_, known_product_;  // where `known_` was computed
    std::vector<double> slope_;
    std::vector<double> target_low_ = std::vector<double>(s_.num_variables()), target_high_ = target_low_;
    std::vector<std::int32_t> moved_;
    bool stopped_at_knot_ = false;
    std::vector<float> bent_;  // residuals at the bounds' coordinates
};

MajorizeMinimize::MajorizeMinimize(optimize::ProductModel products, View<const float, 3> columns,
                                   View<const double, 2> gram, View<const double, 1> vertex_weights,
                                   View<const double, 2> box, View<const std::int64_t, 1> ties, int threads)
    : products_(std::move(products)), gram_(gram.begin(), gram.end()) {
    constexpr const char* name = "MajorizeMinimize";
    const std::int64_t count = products_.num_columns(), shapes = products_.num_variables();
    check_shape(name, "columns", columns, {count, -1, 3});
    check_shape(name, "gram", gram, {count, count});
    check_shape(name, "vertex_weights", vertex_weights, {columns.extent(1)});
    check_shape(name, "box", box, {shapes, 2});
    check_shape(name, "ties", ties, {shapes});
    for (const std::int64_t owner : ties) {
        if (owner < 0 || owner >= shapes) throw bad_argument(name, "ties", std::to_string(owner), "a shape");
    }
    groups_ = groups_of(ties);
    bounds_ = corrective_bounds(products_, columns, box, threads);
    const std::size_t rows = bounds_.coordinate.size();
    bent_columns_.resize(static_cast<std::size_t>(count) * rows);
    for (std::int64_t n = 0; n < count; ++n) {
        for (std::size_t i = 0; i < rows; ++i) bent_columns_[n * rows + i] = columns.row(n)[bounds_.coordinate[i]];
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double sigma = std::max(-bounds_.lowest[i], bounds_.highest[i]) + bounds_.other[i];
        bent_weight_.push_back(vertex_weights(bounds_.coordinate[i] / 3));
        sum += bent_weight_[i] * sigma * sigma;
    }
    spread_ = std::sqrt(sum);
}

void MajorizeMinimize::solve(const Frames& frames, const MinimizationRule& rule, View<double, 2> weights,
                             View<std::int64_t, 1> iterations, View<bool, 1> converged, int threads) const {
    parallel_for(weights.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            FrameState state(*this, frames, t);
            const double least = rule.tolerance * frames.energies(t);
            double* w = weights.row(t);
            converged(t) = false;
            std::int64_t steps = 0;
            while (steps < rule.max_iterations && !converged(t)) {
                if (!std::isfinite(state.surround(w).value)) break;  // overflow: no decrease says anything
                converged(t) = state.step(w) <= least && !state.stopped_at_knot();
                ++steps;
            }
            iterations(t) = steps;
        }
    });
}

Surrogate MajorizeMinimize::surrogate(const Frames& frames, std::int64_t frame, View<const double, 1> weights) const {
    return FrameState(*this, frames, frame).surround(weights.data());
}

}  // namespace rigwright::inverse
