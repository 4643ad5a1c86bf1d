#include "inverse/box_newton.h"

#include <algorithm>
#include <cmath>

namespace rigwright::inverse {

bool BoxNewton::take(Frame& frame, double threshold) {
    constexpr double share = 0.1;  // of the threshold: what the model leaves does not add up to it
    constexpr int tries = 24;
    frame.refresh();
    const double optimality = model_.look(frame, QuadraticModel::Scope::all);
    model_.form(frame, true);
    const std::size_t count = model_.free().size();
    low_.resize(count);
    high_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        low_[i] = model_.low()[i] - model_.at()[i];
        high_[i] = model_.high()[i] - model_.at()[i];
    }
    const Hessian<double>& hessian = model_.hessian();
    double largest = 0.0;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, hessian.entries()[i * (hessian.stride() + 1)]);
    for (int i = 0; i < tries; ++i) {
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

/// Moves the frame if the step is good.
bool BoxNewton::improves(Frame& frame, double optimality) {
    constexpr double rounding = 1e-14;  // of the objective
    const double predicted = quadratic_.change();
    trial_.assign(frame.x(), frame.x() + frame.structure().num_variables());
    for (std::size_t i = 0; i < model_.free().size(); ++i) {
        const double step = quadratic_.step()[i];
        trial_[model_.free()[i]] = step == low_[i] ? model_.low()[i]
                                   : step == high_[i]
                                       ? model_.high()[i]
                                       : std::clamp(model_.at()[i] + step, model_.low()[i], model_.high()[i]);
    }
    const double least = rounding * std::abs(frame.objective());
    const double change = frame.move(trial_.data());
    if (-predicted > least ? change <= 1e-4 * predicted : change <= least && frame.optimality() < optimality)
        return true;
    frame.undo();
    return false;
}

}  // namespace rigwright::inverse
