#include "rigcast/capture/points.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/capture/smoothing_gates.h"
#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::capture {
namespace {

constexpr std::int64_t fewest_points = 4;  // that determine a head's pose in two dimensions, and nothing else
constexpr double turn_limit = 3.0;         // radians of omega
constexpr double turn_scale = 0.3;         // radians: its unit in steps; that of translations is the radius
constexpr double bad_fit = 9.0;            // of the points' mean squared distance in noises

/// Solves the frames of a shot, one after another.
class ShotSolver {
public:
    ShotSolver(const PointModel& model, const PointShot& shot, const Camera& camera, const PointTerms& terms,
               View<const double, 2> rotation)
        : model_(model), shot_(shot), terms_(terms), residuals_(model, camera, terms) {
        std::copy(rotation.begin(), rotation.end(), upright_.begin());
        const std::size_t shapes = static_cast<std::size_t>(model.num_shapes());
        x_.assign(shapes + 6, 0.0);
        gates_.resize(shapes);
        frame_.target.resize(shapes);
        frame_.strength.resize(shapes);
        frame_.low.resize(shapes);
        frame_.high.resize(shapes);
        problem_.scale.assign(shapes, 1.0);
        problem_.scale.insert(problem_.scale.end(), {turn_scale, turn_scale, turn_scale});
        problem_.scale.insert(problem_.scale.end(), 3, model.radius());
        problem_.preferred.assign(shapes + 6, 0.0);
        for (std::size_t k = 0; k < shapes; ++k) x_[k] = std::clamp(0.0, model.low()[k], model.high()[k]);
        base_.rotation = upright_;
    }

    PointWeights solve() {
        const std::int64_t frames = shot_.points.extent(0);
        for (std::int64_t t = 0; t < frames; ++t) solve_frame(t);
        return std::move(result_);
    }

private:
    void solve_frame(std::int64_t t);
    void state_terms(std::int64_t t);
    void bound(const double* low, const double* high);
    double minimize(const HeadPose& from, double sparsity, std::vector<double>* x, std::int32_t* steps, bool* settled);
    double fit() const;
    void restart(double* energy, std::int32_t* steps, bool* settled);
    void debias(std::int32_t* steps);
    void append(std::int64_t t, bool is_lost, double start, double energy, std::int32_t steps, bool settled);

    const PointModel& model_;
    const PointShot& shot_;
    const PointTerms terms_;
    FrameResiduals residuals_;
    optimize::BoxLeastSquares squares_;
    optimize::BoxProblem problem_;
    SmoothingGates gate_;
    FrameTerms frame_;
    FramePoints points_{};
    std::array<double, 9> upright_{};
    HeadPose base_{};
    std::vector<double> x_;  // (K + 6) of the last frame; omega is 0
    std::vector<double> gates_;
    std::vector<double> values_;
    std::vector<double> jacobian_;
    std::vector<double> distances_;
    bool is_placed_ = false;
    PointWeights result_;
};

/// Targets, strengths and bounds of frame t.
void ShotSolver::state_terms(std::int64_t t) {
    gate_.measure(points_, terms_, model_.num_shapes(), gates_.data());
    for (std::int64_t k = 0; k < model_.num_shapes(); ++k) {
        const double smoothing = terms_.smoothing * gates_[k], prior = shot_.prior_strength(t, k);
        frame_.strength[k] = terms_.rest + smoothing + prior;
        frame_.target[k] = (smoothing * x_[k] + prior * shot_.prior_target(t, k)) / frame_.strength[k];
        const double fixed = shot_.fixed(t, k);
        frame_.low[k] = std::isnan(fixed) ? model_.low()[k] : fixed;
        frame_.high[k] = std::isnan(fixed) ? model_.high()[k] : fixed;
    }
}

void ShotSolver::bound(const double* low, const double* high) {
    problem_.low.assign(low, low + model_.num_shapes());
    problem_.high.assign(high, high + model_.num_shapes());
    const double far = 1e9 * model_.radius();
    problem_.low.insert(problem_.low.end(), {-turn_limit, -turn_limit, -turn_limit, -far, -far, -far});
    problem_.high.insert(problem_.high.end(), {turn_limit, turn_limit, turn_limit, far, far, far});
}

/// Minimizes from x, whose rotation is relative to `from`; returns the energy.
double ShotSolver::minimize(const HeadPose& from, double sparsity, std::vector<double>* x, std::int32_t* steps,
                            bool* settled) {
    residuals_.start(points_, frame_, from, sparsity);
    for (std::int64_t k = 0; k < model_.num_shapes(); ++k) {
        (*x)[k] = std::clamp((*x)[k], problem_.low[k], problem_.high[k]);
    }
    const optimize::BoxResult found =
        squares_.minimize(residuals_, problem_, terms_.tolerance, terms_.max_iterations, x->data());
    *steps += static_cast<std::int32_t>(found.iterations);
    *settled = found.converged;
    return found.objective - residuals_.constant();
}

/// Mean squared distance of the observed points in noises, at the last evaluated point.
double ShotSolver::fit() const {
    double sum = 0.0;
    std::int64_t count = 0;
    for (const double distance : distances_) {
        if (std::isnan(distance)) continue;
        const double limited = std::min(distance / terms_.noise, 1e6);
        sum += limited * limited;
        ++count;
    }
    return sum / static_cast<double>(std::max<std::int64_t>(count, 1));
}

/// Solves the frame again from an upright head at the points; keeps the better end.
void ShotSolver::restart(double* energy, std::int32_t* steps, bool* settled) {
    std::vector<double> x = x_;
    const HeadPose from{upright_, {}};
    const std::array<double, 3> place = residuals_.placed(x.data(), upright_);
    std::fill(x.end() - 6, x.end() - 3, 0.0);
    std::copy(place.begin(), place.end(), x.end() - 3);
    bool is_settled = false;
    const double other = minimize(from, terms_.sparsity, &x, steps, &is_settled);
    if (!(other < *energy)) return;
    *energy = other;
    *settled = is_settled;
    base_ = from;
    x_ = x;
}

/// The head without the linear term, over the weights above their lowest; then the weights under that head.
void ShotSolver::debias(std::int32_t* steps) {
    std::vector<double> high = frame_.high;
    for (std::size_t k = 0; k < high.size(); ++k) {
        if (x_[k] <= frame_.low[k] && model_.low()[k] >= 0.0) high[k] = frame_.low[k];
    }
    bound(frame_.low.data(), high.data());
    bool is_settled = false;
    minimize(base_, 0.0, &x_, steps, &is_settled);
    bound(frame_.low.data(), frame_.high.data());
    for (std::size_t at = static_cast<std::size_t>(model_.num_shapes()); at < x_.size(); ++at) {
        problem_.low[at] = problem_.high[at] = x_[at];
    }
    minimize(base_, terms_.sparsity, &x_, steps, &is_settled);
}

void ShotSolver::solve_frame(std::int64_t t) {
    points_ = {&shot_.points(t, 0, 0), &shot_.certainty(t, 0), static_cast<int>(shot_.points.extent(2))};
    state_terms(t);
    bound(frame_.low.data(), frame_.high.data());
    residuals_.start(points_, frame_, base_, terms_.sparsity);
    values_.resize(static_cast<std::size_t>(residuals_.num_rows()));
    distances_.resize(static_cast<std::size_t>(model_.num_points()));
    for (std::int64_t k = 0; k < model_.num_shapes(); ++k) x_[k] = std::clamp(x_[k], frame_.low[k], frame_.high[k]);
    if (residuals_.num_observed() < fewest_points) {
        gate_.forget();
        append(t, true, 0.0, 0.0, 0, false);
        return;
    }
    if (!is_placed_) {
        const std::array<double, 3> place = residuals_.placed(x_.data(), base_.rotation);
        std::copy(place.begin(), place.end(), x_.end() - 3);
        is_placed_ = true;
    }
    residuals_.evaluate(x_.data(), values_.data());
    double start = -residuals_.constant();
    for (const double value : values_) start += value * value;
    std::int32_t steps = 0;
    bool settled = false;
    double energy = minimize(base_, terms_.sparsity, &x_, &steps, &settled);
    residuals_.evaluate(x_.data(), values_.data());
    residuals_.distances(distances_.data());
    if (fit() > bad_fit) restart(&energy, &steps, &settled);
    if (terms_.debias && terms_.sparsity > 0.0) debias(&steps);
    residuals_.start(points_, frame_, base_, terms_.sparsity);
    residuals_.evaluate(x_.data(), values_.data());
    append(t, false, start, energy, steps, settled);
    residuals_.linearize(x_.data(), &jacobian_);
    gate_.keep(residuals_, points_, model_.num_points());
}

/// Adds a frame to the result, and makes its pose the base of the next one.
void ShotSolver::append(std::int64_t t, bool is_lost, double start, double energy, std::int32_t steps, bool settled) {
    const std::int64_t shapes = model_.num_shapes();
    if (!is_lost || t == 0) residuals_.start(points_, frame_, base_, 0.0);
    const HeadPose head = residuals_.pose(x_.data());
    if (!is_lost) {
        residuals_.distances(distances_.data());
        base_ = head;
    } else {
        std::fill(distances_.begin(), distances_.end(), std::nan(""));
    }
    result_.weights.insert(result_.weights.end(), x_.begin(), x_.begin() + shapes);
    const HeadPose& pose = is_lost ? base_ : head;
    for (int a = 0; a < 3; ++a) {
        result_.pose.insert(result_.pose.end(), pose.rotation.begin() + 3 * a, pose.rotation.begin() + 3 * a + 3);
        result_.pose.push_back(x_[shapes + 3 + a]);
    }
    std::fill(x_.end() - 6, x_.end() - 3, 0.0);
    result_.residual.insert(result_.residual.end(), distances_.begin(), distances_.end());
    result_.start_energy.push_back(start);
    result_.energy.push_back(energy);
    result_.steps.push_back(steps);
    result_.lost.push_back(is_lost);
    result_.settled.push_back(settled);
}

void check_terms(const PointTerms& terms, const Camera& camera) {
    const auto positive = [](const char* argument, double value) {
        if (!(value > 0.0 && std::isfinite(value))) {
            throw bad_argument("solve_points", argument, std::to_string(value), "a finite number above 0");
        }
    };
    const auto least_zero = [](const char* argument, double value) {
        if (!(value >= 0.0 && std::isfinite(value))) {
            throw bad_argument("solve_points", argument, std::to_string(value), "a finite number of at least 0");
        }
    };
    positive("noise", terms.noise);
    positive("outlier", terms.outlier);
    positive("rest", terms.rest);
    positive("tolerance", terms.tolerance);
    positive("focal", camera.focal);
    least_zero("smoothing", terms.smoothing);
    least_zero("gate", terms.gate);
    least_zero("sparsity", terms.sparsity);
    least_zero("max_iterations", static_cast<double>(terms.max_iterations));
}

}  // namespace

PointWeights solve_points(const PointModel& model, const PointShot& shot, const Camera& camera, const PointTerms& terms,
                          View<const double, 2> rotation) {
    const char* name = "solve_points";
    const std::int64_t frames = shot.points.extent(0), shapes = model.num_shapes(), d = shot.points.extent(2);
    if (frames == 0 || (d != 2 && d != 3)) {
        throw bad_argument(name, "points", describe_shape<3>(shot.points.extents()), "(T, P, 2) or (T, P, 3)");
    }
    check_shape<const double, 3>(name, "points", shot.points, {frames, model.num_points(), d});
    check_shape<const double, 2>(name, "certainty", shot.certainty, {frames, model.num_points()});
    check_shape<const double, 2>(name, "fixed", shot.fixed, {frames, shapes});
    check_shape<const double, 2>(name, "prior_target", shot.prior_target, {frames, shapes});
    check_shape<const double, 2>(name, "prior_strength", shot.prior_strength, {frames, shapes});
    check_shape<const double, 2>(name, "rotation", rotation, {3, 3});
    check_finite(name, "prior_target", shot.prior_target);
    check_finite(name, "prior_strength", shot.prior_strength);
    check_finite(name, "rotation", rotation);
    for (const double strength : shot.prior_strength) {
        if (strength < 0.0) throw bad_argument(name, "prior_strength", std::to_string(strength), "at least 0");
    }
    check_terms(terms, camera);
    return ShotSolver(model, shot, camera, terms, rotation).solve();
}

}  // namespace rigcast::capture
