#include "rigwright/optimize/products/box_newton.h"

#include <algorithm>
#include <cmath>

#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::optimize {

bool BoxNewton::take(GramPoint& frame, double threshold) {
    constexpr double share = 0.1;  // of the threshold: what the model leaves does not add up to it
    constexpr int tries = 24;
    frame.refresh();
    const double optimality = model_.look(frame, QuadraticModel::Scope::all);
    model_.form(frame, true);
    const std::size_t count = model_.free().size();
    low_.resize(count);
    high_.resize(count);
    const Hessian<double>& hessian = model_.hessian();
    double largest = 0.0;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, hessian.entries()[i * (hessian.stride() + 1)]);
    for (int i = 0; i < tries; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            low_[j] = model_.low()[j] - model_.at()[j];
            high_[j] = model_.high()[j] - model_.at()[j];
        }
        quadratic_.minimize(hessian.entries(), hessian.stride(), model_.gradient(), low_, high_, damping_,
                            share * threshold);
        if (!(quadratic_.change() < 0.0)) return false;
        const bool better = improves(frame, optimality);
        damping_ = better ? 0.1 * quadratic_.damping() : std::max(10.0 * quadratic_.damping(), 1e-12 * largest);
        if (damping_ < 1e-12 * largest) damping_ = 0.0;
        if (better) return true;
        if (damping_ > largest) return false;
    }
    return false;
}

/// Moves the frame if the step is good, corrected where the model does not hold so far away.
bool BoxNewton::improves(GramPoint& frame, double optimality) {
    constexpr double rounding = 1e-14;  // of the objective
    constexpr int corrections = 3;
    const double predicted = quadratic_.change(), least = rounding * std::abs(frame.objective());
    start_.assign(frame.x(), frame.x() + frame.products().num_variables());
    trial_ = start_;
    double change = 0.0;
    for (int i = 0; i <= corrections; ++i) {
        if (i > 0) correct(frame);
        for (std::size_t j = 0; j < model_.free().size(); ++j) {
            const double step = quadratic_.step()[j], low = model_.low()[j], high = model_.high()[j];
            double& x = trial_[model_.free()[j]];
            x = step == low_[j] ? low : step == high_[j] ? high : std::clamp(x + step, low, high);
        }
        change += frame.move(trial_.data());
        if (-predicted > least ? change <= 0.5 * predicted : change <= least && frame.optimality() < 0.9 * optimality) {
            return true;
        }
    }
    if (-predicted > least && decreases_enough(change, 1.0, predicted)) return true;
    frame.set(start_.data());
    return false;
}

/// Minimizes the model from where the frame went, with the Hessian of where it came from.
void BoxNewton::correct(const GramPoint& frame) {
    gradient_.resize(model_.free().size());
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
        const std::int32_t k = model_.free()[i];
        const double x = frame.x()[k];
        gradient_[i] = frame.slope(k, x == model_.high()[i] ? -1 : 1);
        low_[i] = model_.low()[i] - x;
        high_[i] = model_.high()[i] - x;
    }
    const Hessian<double>& hessian = model_.hessian();
    quadratic_.minimize(hessian.entries(), hessian.stride(), gradient_, low_, high_, quadratic_.damping(), 0.0);
}

}  // namespace rigwright::optimize
