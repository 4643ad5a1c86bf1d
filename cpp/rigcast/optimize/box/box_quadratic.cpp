#include "rigcast/optimize/box/box_quadratic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rigcast/linalg/gram_kernels.h"

namespace rigcast::optimize {
namespace {

/// A bound on the moves of a solve, per variable, in case degenerate moves cycle. Chosen, not tuned.
constexpr std::size_t max_moves_per_variable = 20;

}  // namespace

bool BoxQuadratic::minimize(const std::vector<double>& hessian, std::int64_t stride, std::span<const double> gradient,
                            std::span<const double> low, std::span<const double> high, double damping,
                            double least_descent) {
    hessian_ = &hessian;
    stride_ = stride;
    gradient_ = gradient;
    low_ = low;
    high_ = high;
    damping_ = damping;
    start();
    if (!factorize()) return false;
    for (std::size_t left = max_moves_per_variable * step_.size(); left > 0; --left) {
        compute_slopes();
        if (!advance()) continue;
        compute_slopes();
        if (!release(least_descent)) return true;
        if (cholesky_.empty() && !factorize()) return false;
    }
    return false;
}

/// Starts from d = 0, with the variables at a bound fixed.
void BoxQuadratic::start() {
    const std::size_t count = gradient_.size();
    step_.assign(count, 0.0);
    slopes_.resize(count);
    is_free_.resize(count);
    is_refused_.assign(count, 0);
    all_.resize(count);
    std::iota(all_.begin(), all_.end(), 0);
    released_ = -1;
    largest_ = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        largest_ = std::max(largest_, row(static_cast<std::int64_t>(i))[i]);
        is_free_[i] = low_[i] < 0.0 && high_[i] > 0.0;
    }
}

/// Factorizes H + damping I over the free variables, raising the damping until it is positive definite.
bool BoxQuadratic::factorize() {
    free_.clear();
    for (const std::int32_t i : all_) {
        if (is_free_[i]) free_.push_back(i);
    }
    for (;;) {
        if (cholesky_.set(*hessian_, stride_, free_, damping_, all_)) return true;
        if (!(damping_ < largest_)) return false;
        damping_ = std::max(damping_growth * damping_, least_damping * largest_);
    }
}

/// slopes_ = g + (H + damping I) d.
void BoxQuadratic::compute_slopes() {
    const std::int64_t count = static_cast<std::int64_t>(step_.size());
    for (std::int64_t i = 0; i < count; ++i) slopes_[i] = gradient_[i] + damping_ * step_[i];
    for (std::int64_t i = 0; i < count; ++i) {
        if (step_[i] != 0.0) linalg::gram_kernels().add_scaled(step_[i], row(i), slopes_.data(), count);
    }
}

/// Moves toward the minimizer over the free variables. Returns false if a bound is on the way: the variable is then
/// fixed there.
bool BoxQuadratic::advance() {
    const std::vector<std::int32_t>& free = cholesky_.variables();
    solution_.resize(std::max<std::int64_t>(cholesky_.stride(), 1));
    for (std::size_t a = 0; a < free.size(); ++a) solution_[a] = -slopes_[free[a]];
    if (!free.empty()) cholesky_.solve(solution_.data());
    double length = 1.0, bound = 0.0;
    std::int64_t first = -1;
    for (std::size_t a = 0; a < free.size(); ++a) {
        const std::int32_t i = free[a];
        const double end = solution_[a] < 0.0 ? low_[i] : high_[i];
        const double room = end - step_[i];
        if (!(std::abs(solution_[a]) * length > std::abs(room))) continue;
        length = room / solution_[a];
        first = static_cast<std::int64_t>(a);
        bound = end;
    }
    for (std::size_t a = 0; a < free.size(); ++a) {
        const std::int32_t i = free[a];
        step_[i] = std::clamp(step_[i] + length * solution_[a], low_[i], high_[i]);
    }
    if (first < 0) return true;
    is_refused_[free[first]] = free[first] == released_ && length == 0.0;
    fix(first, bound);
    return false;
}

/// Fixes the free variable at `position` of the factorization.
void BoxQuadratic::fix(std::int64_t position, double bound) {
    const std::int32_t i = cholesky_.variables()[position];
    is_free_[i] = 0;
    step_[i] = bound;
    cholesky_.remove(position);
    released_ = -1;
}

bool BoxQuadratic::can_release(std::int32_t i) const {
    return !is_free_[i] && !is_refused_[i] && low_[i] < high_[i];
}

/// Releases the fixed variable with the steepest descent. Returns false if there is none. Clears the factorization if
/// the variable cannot be appended to it.
bool BoxQuadratic::release(double least_descent) {
    std::int32_t best = -1;
    double steepest = least_descent;
    for (const std::int32_t i : all_) {
        const double descent = step_[i] <= low_[i] ? -slopes_[i] : slopes_[i];
        if (!can_release(i) || !(descent > steepest)) continue;
        steepest = descent;
        best = i;
    }
    released_ = best;
    if (best < 0) return false;
    is_free_[best] = 1;
    const std::vector<std::int32_t>& free = cholesky_.variables();
    solution_.resize(std::max<std::int64_t>(cholesky_.stride(), 1));
    for (std::size_t a = 0; a < free.size(); ++a) solution_[a] = row(best)[free[a]];
    if (cholesky_.empty() || !cholesky_.append(best, solution_.data(), row(best)[best] + damping_)) cholesky_.clear();
    return true;
}

double BoxQuadratic::change() const {
    const std::int64_t count = static_cast<std::int64_t>(step_.size());
    double sum = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
        sum += step_[i] * (gradient_[i] + 0.5 * linalg::gram_kernels().dot(row(i), step_.data(), count));
    }
    return sum;
}

}  // namespace rigcast::optimize
