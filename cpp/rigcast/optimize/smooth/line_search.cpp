#include "rigcast/optimize/smooth/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rigcast::optimize {
namespace {

double inner(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The minimizer of the cubic through two values and slopes, kept a tenth of the interval from its ends; the middle if
/// the cubic has none or a value is not finite.
template <class Trial>
double cubic_minimizer(const Trial& a, const Trial& b) {
    const double width = b.step - a.step;
    const double middle = a.step + 0.5 * width;
    if (!std::isfinite(a.value) || !std::isfinite(b.value)) return middle;
    const double d1 = a.slope + b.slope - 3.0 * (b.value - a.value) / width;
    const double squared = d1 * d1 - a.slope * b.slope;
    if (!(squared >= 0.0)) return middle;
    const double d2 = std::copysign(std::sqrt(squared), width);
    const double step = b.step - width * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
    const double near = a.step + 0.1 * width;
    const double far = b.step - 0.1 * width;
    return std::isfinite(step) ? std::clamp(step, std::min(near, far), std::max(near, far)) : middle;
}

}  // namespace

WolfeSearch::Trial WolfeSearch::evaluate(double step) {
    for (std::size_t i = 0; i < point_.size(); ++i) point_[i] = start_[i] + step * direction_[i];
    ++evaluations_;
    value_ = (*f_)(point_, gradient_);
    const double slope = inner(gradient_, direction_);
    if (!std::isfinite(value_) || !std::isfinite(slope)) value_ = std::numeric_limits<double>::infinity();
    return {step, value_, slope};
}

bool WolfeSearch::is_low(const Trial& trial) const {
    return trial.value <= start_value_ + sufficient_decrease * trial.step * start_slope_;
}

bool WolfeSearch::zoom(Trial low, Trial high, int evaluations) {
    for (; evaluations < most_evaluations; ++evaluations) {
        const Trial trial = evaluate(cubic_minimizer(low, high));
        if (!is_low(trial) || trial.value >= low.value) {
            high = trial;
        } else {
            if (std::abs(trial.slope) <= -curvature * start_slope_) return true;
            if (trial.slope * (high.step - low.step) >= 0.0) high = low;
            low = trial;
        }
        if (std::abs(high.step - low.step) <= 1e-12 * std::abs(high.step + low.step)) break;
    }
    if (low.step == 0.0) return false;
    return evaluate(low.step).value < start_value_;
}

bool WolfeSearch::search(std::span<const double> x, double value, std::span<const double> gradient,
                         std::span<const double> direction, double first_step) {
    start_ = x;
    direction_ = direction;
    start_value_ = value;
    start_slope_ = inner(gradient, direction);
    if (!(start_slope_ < 0.0)) return false;
    Trial before{0.0, value, start_slope_};
    double step = first_step;
    for (int evaluations = 1; evaluations < most_evaluations; ++evaluations, step *= 2.0) {
        const Trial trial = evaluate(step);
        if (!is_low(trial) || (evaluations > 1 && trial.value >= before.value)) {
            return zoom(before, trial, evaluations);
        }
        if (std::abs(trial.slope) <= -curvature * start_slope_) return true;
        if (trial.slope >= 0.0) return zoom(trial, before, evaluations);
        before = trial;
    }
    return value_ < start_value_;
}

}  // namespace rigcast::optimize
