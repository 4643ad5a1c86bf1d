#include "rigwright/optimize/products/box_quadratic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rigwright/linalg/gram_kernels.h"

namespace rigwright::optimize {

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
    for (std::size_t left = 20 * step_.size(); left > 0; --left) {
        find_gradient();
        if (!advance()) continue;
        find_gradient();
        if (!release(least_descent)) return true;
        if (factor_.empty() && !factorize()) return false;
    }
    return false;
}

/// d = 0, with the variables at bounds fixed.
void BoxQuadratic::start() {
    const std::size_t count = gradient_.size();
    step_.assign(count, 0.0);
    slope_.resize(count);
    is_free_.resize(count);
    is_refused_.assign(count, 0);
    names_.resize(count);
    std::iota(names_.begin(), names_.end(), 0);
    released_ = -1;
    largest_ = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        largest_ = std::max(largest_, row(static_cast<std::int64_t>(i))[i]);
        is_free_[i] = low_[i] < 0.0 && high_[i] > 0.0;
    }
}

/// Over the free variables, with more damping where it takes that.
bool BoxQuadratic::factorize() {
    constexpr double least_damping = 1e-12;  // of the largest diagonal entry: beyond rounding
    free_.clear();
    for (const std::int32_t i : names_) {
        if (is_free_[i]) free_.push_back(i);
    }
    for (;;) {
        if (factor_.set(*hessian_, stride_, free_, damping_, names_)) return true;
        if (!(damping_ < largest_)) return false;
        damping_ = std::max(10.0 * damping_, least_damping * largest_);
    }
}

/// slope_ = g + (H + damping I) d
void BoxQuadratic::find_gradient() {
    const std::int64_t count = static_cast<std::int64_t>(step_.size());
    for (std::int64_t i = 0; i < count; ++i) slope_[i] = gradient_[i] + damping_ * step_[i];
    for (std::int64_t i = 0; i < count; ++i) {
        if (step_[i] != 0.0) linalg::gram_kernels().add_scaled(step_[i], row(i), slope_.data(), count);
    }
}

/// Towards the minimizer over the free variables. Returns false if a bound lies on the way, which is then fixed.
bool BoxQuadratic::advance() {
    const std::vector<std::int32_t>& free = factor_.variables();
    rhs_.resize(std::max<std::int64_t>(factor_.stride(), 1));
    for (std::size_t a = 0; a < free.size(); ++a) rhs_[a] = -slope_[free[a]];
    if (!free.empty()) factor_.solve(rhs_.data());
    double length = 1.0, bound = 0.0;
    std::int64_t first = -1;
    for (std::size_t a = 0; a < free.size(); ++a) {
        const std::int32_t i = free[a];
        const double end = rhs_[a] < 0.0 ? low_[i] : high_[i];
        const double room = end - step_[i];
        if (!(std::abs(rhs_[a]) * length > std::abs(room))) continue;
        length = room / rhs_[a];
        first = static_cast<std::int64_t>(a);
        bound = end;
    }
    for (std::size_t a = 0; a < free.size(); ++a) {
        const std::int32_t i = free[a];
        step_[i] = std::clamp(step_[i] + length * rhs_[a], low_[i], high_[i]);
    }
    if (first < 0) return true;
    is_refused_[free[first]] = free[first] == released_ && length == 0.0;
    fix(first, bound);
    return false;
}

void BoxQuadratic::fix(std::int64_t place, double value) {
    const std::int32_t i = factor_.variables()[place];
    is_free_[i] = 0;
    step_[i] = value;
    factor_.remove(place);
    released_ = -1;
}

bool BoxQuadratic::can_release(std::int32_t i) const {
    return !is_free_[i] && !is_refused_[i] && low_[i] < high_[i];
}

/// Returns false if no fixed variable descends. The factor is empty where it must be formed anew.
bool BoxQuadratic::release(double least_descent) {
    std::int32_t best = -1;
    double steepest = least_descent;
    for (const std::int32_t i : names_) {
        const double descent = step_[i] <= low_[i] ? -slope_[i] : slope_[i];
        if (!can_release(i) || !(descent > steepest)) continue;
        steepest = descent;
        best = i;
    }
    released_ = best;
    if (best < 0) return false;
    is_free_[best] = 1;
    const std::vector<std::int32_t>& free = factor_.variables();
    rhs_.resize(std::max<std::int64_t>(factor_.stride(), 1));
    for (std::size_t a = 0; a < free.size(); ++a) rhs_[a] = row(best)[free[a]];
    if (factor_.empty() || !factor_.append(best, rhs_.data(), row(best)[best] + damping_)) factor_.clear();
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

}  // namespace rigwright::optimize
