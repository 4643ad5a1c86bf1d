#include "rigcast/optimize/products/box_newton.h"

#include <algorithm>
#include <cmath>

#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {
namespace {

// Steps below were counted on a rig of 30 shapes, a near copy of each and 20 pairs (60 frames, 4,589 steps in all).

/// The model is minimized to this share of the frame's threshold, so that what it leaves does not add up to it. Not
/// sensitive: 0.01 and 0.5 take the same steps.
constexpr double model_accuracy = 0.1;
/// A bound on the damped steps from one point; from the least damping to that of the last try there are 13.
constexpr int max_trials = 24;
constexpr double damping_growth = BoxQuadratic::damping_growth;
constexpr double damping_decay = 0.1;
constexpr double least_damping = BoxQuadratic::least_damping;  // of the largest diagonal entry of H
/// Predicted changes below this share of the objective are rounding: the optimality decides instead. Lower is stricter:
/// 1e-15 takes 10,785 steps. Higher lets more steps raise the objective within its rounding: 1e-12 takes 464.
constexpr double rounding_of_change = 1e-14;
/// Share of the predicted change that makes a step good without a correction. 0.25 takes 4,365 steps, 0.8 takes 5,110.
constexpr double good_share = 0.5;
/// A step whose change is rounding must bring the optimality down to this share. 0.5 takes 4,256 steps, 0.99 takes
/// 4,574.
constexpr double optimality_reduction = 0.9;
/// Corrections of one step with the Hessian of its start. Without any, 5,793 steps; with six, 3,904, which take longer.
constexpr int max_corrections = 3;

}  // namespace

bool BoxNewton::step(GramPoint& point, double threshold) {
    point.refresh();
    const double optimality = model_.linearize(point, QuadraticModel::Scope::with_bounds);
    model_.assemble_hessian(point, true);
    const std::size_t count = model_.variables().size();
    low_.resize(count);
    high_.resize(count);
    const Hessian<double>& hessian = model_.hessian();
    double largest = 0.0;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, hessian.entries()[i * (hessian.stride() + 1)]);
    for (int trial = 0; trial < max_trials; ++trial) {
        for (std::size_t i = 0; i < count; ++i) {
            low_[i] = model_.low()[i] - model_.x()[i];
            high_[i] = model_.high()[i] - model_.x()[i];
        }
        quadratic_.minimize(hessian.entries(), hessian.stride(), model_.gradient(), low_, high_, damping_,
                            model_accuracy * threshold);
        if (!(quadratic_.change() < 0.0)) return false;
        const bool better = try_step(point, optimality);
        damping_ = better ? damping_decay * quadratic_.damping()
                          : std::max(damping_growth * quadratic_.damping(), least_damping * largest);
        if (damping_ < least_damping * largest) damping_ = 0.0;
        if (better) return true;
        if (damping_ > largest) return false;
    }
    return false;
}

/// Moves the point by the model's step and corrects it until it is good. Returns false, with the point unmoved, if it
/// never is.
bool BoxNewton::try_step(GramPoint& point, double optimality) {
    const double predicted = quadratic_.change();
    const double rounding = rounding_of_change * std::abs(point.objective());
    const bool is_predictable = -predicted > rounding;
    start_.assign(point.x(), point.x() + point.products().num_variables());
    trial_ = start_;
    double change = 0.0;
    for (int i = 0; i <= max_corrections; ++i) {
        if (i > 0) minimize_from_trial(point);
        change += move(point);
        const bool is_good = is_predictable
                                 ? change <= good_share * predicted
                                 : change <= rounding && point.optimality() < optimality_reduction * optimality;
        if (is_good) return true;
    }
    if (is_predictable && decreases_enough(change, 1.0, predicted)) return true;
    point.set(start_.data());
    return false;
}

/// Moves the point by the step in quadratic_, onto bounds exactly. Returns the change of the objective.
double BoxNewton::move(GramPoint& point) {
    for (std::size_t i = 0; i < model_.variables().size(); ++i) {
        const double step = quadratic_.step()[i];
        const double low = model_.low()[i];
        const double high = model_.high()[i];
        double& x = trial_[model_.variables()[i]];
        x = step == low_[i] ? low : step == high_[i] ? high : std::clamp(x + step, low, high);
    }
    return point.move(trial_.data());
}

/// Minimizes the model with the gradient of the current point and the Hessian of the step's start.
void BoxNewton::minimize_from_trial(const GramPoint& point) {
    gradient_.resize(model_.variables().size());
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
        const std::int32_t k = model_.variables()[i];
        const double x = point.x()[k];
        gradient_[i] = point.slope(k, x == model_.high()[i] ? -1 : 1);
        low_[i] = model_.low()[i] - x;
        high_[i] = model_.high()[i] - x;
    }
    const Hessian<double>& hessian = model_.hessian();
    quadratic_.minimize(hessian.entries(), hessian.stride(), gradient_, low_, high_, quadratic_.damping(), 0.0);
}

}  // namespace rigcast::optimize
