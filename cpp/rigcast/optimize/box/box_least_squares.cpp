#include "rigcast/optimize/box/box_least_squares.h"

#include <algorithm>
#include <cmath>

#include "rigcast/linalg/gram_kernels.h"

namespace rigcast::optimize {
namespace {

// Steps were counted on 200 random poses of a learned body and of its skeleton, eight reachable targets each, from
// rest: 7.7 and 5.9 with these figures. A first damping of 1e-3 takes 8.0 and 7.3. Along a motion, from frame to frame,
// they are 2.9 and 2.1; without first_share 3.1 and 2.4.
constexpr double first_damping = 1e-2;  // of the largest diagonal entry of the Hessian
constexpr double first_share = 0.1;     // of the objective: near the solution, the first step is undamped
constexpr double most_damping = 1e6;    // of the largest entry: beyond, steps are rounding
constexpr double damping_growth = 8.0;
constexpr double good_ratio = 0.75;
constexpr double good_decay = 1e-3;
constexpr double poor_ratio = 0.25;
constexpr double pure_damping = 0.1;   // of the ridge: below, a step is one of Gauss and Newton
constexpr double fast = 0.1;           // decreases that shrink by less tell nothing
constexpr double extrapolated = 10.0;  // safety factor of what is left
/// Predicted decreases below this share of the objective are rounding of residuals in single precision.
constexpr double rounding = 1e-9;
/// The same after steps that should have lowered the objective did not.
constexpr double stalled_rounding = 1e-5;

}  // namespace

double BoxLeastSquares::objective(const double* x) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < problem_->scale.size(); ++k) {
        const double moved = (x[k] - problem_->preferred[k]) / problem_->scale[k];
        sum += problem_->ridge * moved * moved;
    }
    return sum;
}

/// The quadratic model of half the objective, over the unknowns that can move.
void BoxLeastSquares::assemble(const double* x) {
    const BoxProblem& p = *problem_;
    const std::int64_t count = static_cast<std::int64_t>(p.scale.size());
    const std::int64_t rows = static_cast<std::int64_t>(residuals_.size());
    active_.clear();
    for (std::int32_t k = 0; k < count; ++k) {
        if (p.low[k] < p.high[k]) active_.push_back(k);
    }
    const std::int64_t n = static_cast<std::int64_t>(active_.size());
    columns_.resize(static_cast<std::size_t>(rows * n));
    gradient_.resize(static_cast<std::size_t>(n));
    low_.resize(gradient_.size());
    high_.resize(gradient_.size());
    for (std::int64_t a = 0; a < n; ++a) {
        const std::int32_t k = active_[a];
        low_[a] = (p.low[k] - x[k]) / p.scale[k];
        high_[a] = (p.high[k] - x[k]) / p.scale[k];
        gradient_[a] = p.ridge * (x[k] - p.preferred[k]) / p.scale[k];
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        double* to = columns_.data() + row * n;
        for (std::int64_t a = 0; a < n; ++a) to[a] = jacobian_[row * count + active_[a]] * p.scale[active_[a]];
        linalg::gram_kernels().add_scaled(residuals_[row], to, gradient_.data(), n);
    }
    assemble_hessian(rows, n);
}

/// J^T J + ridge: the upper triangle, from the rows that move each unknown, and its mirror image.
void BoxLeastSquares::assemble_hessian(std::int64_t rows, std::int64_t n) {
    hessian_.resize(static_cast<std::size_t>(n * n));
    coefficients_.resize(static_cast<std::size_t>(rows));
    rows_.resize(static_cast<std::size_t>(rows));
    for (std::int64_t a = 0; a < n; ++a) {
        std::int64_t used = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
            const double* from = columns_.data() + row * n + a;
            if (*from == 0.0) continue;
            coefficients_[used] = *from;
            rows_[used++] = from;
        }
        double* to = hessian_.data() + a * n;
        std::fill(to + a, to + n, 0.0);
        if (used > 0) linalg::gram_kernels().add_rows(coefficients_.data(), rows_.data(), used, to + a, n - a);
        to[a] += problem_->ridge;
        for (std::int64_t b = 0; b < a; ++b) to[b] = hessian_[b * n + a];
    }
}

/// Gauss-Newton steps shrink at least by a constant factor near a minimum: what is left after two of them is known
/// without another Jacobian.
void BoxLeastSquares::converge(double predicted) {
    if (!(predicted < fast * predicted_)) return;
    is_optimal_ = extrapolated * predicted * predicted <= threshold_ * predicted_;
}

/// One step from x, with the damping raised until the objective falls. Returns false if there is none.
bool BoxLeastSquares::step(Residuals& residuals, double* x) {
    const BoxProblem& p = *problem_;
    const std::int64_t n = static_cast<std::int64_t>(active_.size());
    double largest = 0.0;
    for (std::int64_t a = 0; a < n; ++a) largest = std::max(largest, hessian_[a * n + a]);
    if (damping_ < 0.0) damping_ = std::min(first_damping * largest, first_share * value_);
    for (double stalled = 0.0; damping_ <= most_damping * largest; stalled = stalled_rounding) {
        quadratic_.minimize(hessian_, n, gradient_, low_, high_, damping_, 1e-6 * std::sqrt(threshold_ * largest));
        const double predicted = -2.0 * quadratic_.change();
        if (!(predicted > std::max(threshold_, std::max(rounding, stalled) * value_))) {
            is_optimal_ = true;
            return false;
        }
        trial_.assign(x, x + p.scale.size());
        for (std::int64_t a = 0; a < n; ++a) {
            const std::int32_t k = active_[a];
            const double d = quadratic_.step()[a];
            trial_[k] = d == low_[a]    ? p.low[k]
                        : d == high_[a] ? p.high[k]
                                        : std::clamp(x[k] + d * p.scale[k], p.low[k], p.high[k]);
        }
        residuals.evaluate(trial_.data(), trial_residuals_.data());
        double value = objective(trial_.data());
        for (const double r : trial_residuals_) value += r * r;
        const double ratio = (value_ - value) / predicted;
        if (ratio > good_ratio) {
            damping_ *= good_decay;
        } else if (!(ratio > poor_ratio)) {
            damping_ = damping_growth * std::max(damping_, 1e-12 * largest);
        }
        if (!(value < value_)) continue;
        if (ratio > good_ratio && quadratic_.damping() <= pure_damping * p.ridge) converge(predicted);
        predicted_ = predicted;
        value_ = value;
        residuals_.swap(trial_residuals_);
        std::copy(trial_.begin(), trial_.end(), x);
        return true;
    }
    return false;
}

BoxResult BoxLeastSquares::minimize(Residuals& residuals, const BoxProblem& problem, double threshold,
                                    std::int64_t max_iterations, double* x) {
    problem_ = &problem;
    threshold_ = threshold;
    damping_ = -1.0;
    predicted_ = 0.0;
    is_optimal_ = false;
    residuals_.resize(static_cast<std::size_t>(residuals.num_rows()));
    trial_residuals_.resize(residuals_.size());
    residuals.evaluate(x, residuals_.data());
    value_ = objective(x);
    for (const double r : residuals_) value_ += r * r;
    BoxResult result;
    while (result.iterations < max_iterations && !is_optimal_) {
        residuals.linearize(x, &jacobian_);
        assemble(x);
        if (!step(residuals, x)) break;
        ++result.iterations;
    }
    result.objective = value_;
    result.converged = is_optimal_;
    return result;
}

}  // namespace rigcast::optimize
