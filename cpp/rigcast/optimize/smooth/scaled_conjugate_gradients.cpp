#include "rigcast/optimize/smooth/scaled_conjugate_gradients.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigcast::optimize {
namespace {

constexpr double probe = 1e-4;  // length of the step that measures the curvature
constexpr double least_damping = 1e-15;
constexpr double most_damping = 1e20;

double product(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The state of one minimization; letters as in Moller's algorithm.
class ConjugateDescent {
public:
    ConjugateDescent(const SmoothFunction& f, std::span<double> x)
        : f_(&f), x_(x), gradient_(x.size()), trial_(x.size()), trial_gradient_(x.size()) {
        value_ = evaluate(x_, gradient_);
        restart();
    }

    double value() const { return value_; }
    const std::vector<double>& gradient() const { return gradient_; }
    std::int64_t evaluations() const { return evaluations_; }
    bool exhausted() const { return damping_ > most_damping; }

    /// One step along the direction. Returns true if it lowered the value.
    bool step() {
        const double squared = product(direction_, direction_);
        if (measure_) {
            slope_ = -product(direction_, gradient_);
            if (!(slope_ > 0.0)) {
                restart();
                return step_along(product(direction_, direction_));
            }
            curvature_ = measure(squared);
        }
        return step_along(squared);
    }

private:
    double evaluate(std::span<const double> x, std::vector<double>& gradient) {
        ++evaluations_;
        return (*f_)(x, gradient);
    }

    void restart() {
        direction_.resize(x_.size());
        for (std::size_t i = 0; i < x_.size(); ++i) direction_[i] = -gradient_[i];
        slope_ = -product(direction_, gradient_);
        curvature_ = measure(product(direction_, direction_));
        successes_ = 0;
    }

    /// direction^T Hessian direction.
    double measure(double squared) {
        measure_ = false;
        if (!(squared > 0.0)) return 0.0;
        const double sigma = probe / std::sqrt(squared);
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + sigma * direction_[i];
        const double value = evaluate(trial_, trial_gradient_);
        const double curved = (product(direction_, trial_gradient_) - product(direction_, gradient_)) / sigma;
        return std::isfinite(value) && std::isfinite(curved) ? curved : 0.0;
    }

    bool step_along(double squared) {
        double damped = curvature_ + damping_ * squared;
        if (damped <= 0.0) {  // make the model convex
            damping_ = 2.0 * (damping_ - damped / squared);
            damped = curvature_ + damping_ * squared;
        }
        const double alpha = slope_ / damped;
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + alpha * direction_[i];
        const double value = evaluate(trial_, trial_gradient_);
        // The decrease relative to that of the quadratic model.
        const double comparison = 2.0 * (value_ - value) / (alpha * slope_);
        const bool lower = std::isfinite(value) && value < value_;
        if (!std::isfinite(comparison) || comparison < 0.25) {
            damping_ = std::max(4.0 * damping_, least_damping);
        } else if (comparison > 0.75) {
            damping_ = std::max(0.25 * damping_, least_damping);
        }
        if (!lower) {
            return false;
        }
        accept(value);
        return true;
    }

    void accept(double value) {
        std::copy(trial_.begin(), trial_.end(), x_.begin());
        const double coupling = product(gradient_, trial_gradient_);
        const double turned = (product(trial_gradient_, trial_gradient_) - coupling) / slope_;
        std::swap(gradient_, trial_gradient_);
        value_ = value;
        measure_ = true;
        if (++successes_ >= static_cast<std::int64_t>(x_.size())) {
            restart();
            return;
        }
        for (std::size_t i = 0; i < x_.size(); ++i) direction_[i] = turned * direction_[i] - gradient_[i];
    }

    const SmoothFunction* f_;
    std::span<double> x_;
    std::vector<double> gradient_;
    std::vector<double> direction_;
    std::vector<double> trial_;
    std::vector<double> trial_gradient_;
    double value_ = 0.0;
    double slope_ = 0.0;      // mu, of -f
    double curvature_ = 0.0;  // delta, without damping
    double damping_ = 1.0;    // lambda
    bool measure_ = false;
    std::int64_t successes_ = 0;
    std::int64_t evaluations_ = 0;
};

}  // namespace

MinimizationReport minimize_scaled_conjugate_gradients(const SmoothFunction& f, std::span<double> x,
                                                       const MinimizationOptions& options) {
    MinimizationReport report;
    ConjugateDescent descent(f, x);
    Convergence convergence("minimize_scaled_conjugate_gradients", descent.value(), options, &report);
    report.converged = convergence.has_small_gradient(descent.gradient());
    bool over = report.converged || options.max_iterations <= 0;
    while (!over) {
        if (descent.step()) {
            over = convergence.finished(descent.value(), descent.gradient());
        } else if (descent.exhausted()) {
            report.converged = true;
            over = true;
        }
    }
    report.evaluations = descent.evaluations();
    return report;
}

}  // namespace rigcast::optimize
