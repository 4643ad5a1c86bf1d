#include "rigcast/optimize/products/frame_solver.h"

#include <algorithm>
#include <cmath>

#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {
namespace {

// Steps below were counted on the rigs of newton_step.cpp.

/// Two points are close if no variable differs by this much, in units of weights: corrections bend the objective over
/// tenths. Trades steps for the risk of missing a minimum: 1e-4 takes at most 5 % more steps, 1e-2 at most 5 % fewer.
constexpr double close_distance = 1e-3;
/// Steps of a frame after which BoxNewton takes over: its steps cost more, but do not stall if shapes are nearly
/// dependent. Not sensitive: 100 and 400 take as many steps within 3 %.
constexpr std::int64_t steps_before_box = 200;
/// The same for rigs without knots, once a Hessian was singular: frames of independent shapes take fewer steps. Not
/// sensitive: 12 and 48 take as many steps within 1 %.
constexpr std::int64_t steps_before_box_if_singular = 24;

bool may_have_line_minima(const ProductModel& products) {
    bool result = products.has_knots();
    for (std::int64_t k = 0; k < products.num_variables(); ++k) result = result || products.degree(k) > 1;
    return result;
}

}  // namespace

FrameSolver::FrameSolver(const ProductModel& products, const linalg::GramMatrix& gram)
    : point_(products, gram), has_line_minima_(may_have_line_minima(products)) {}

bool FrameSolver::sweep() {
    bool moved = false;
    for (std::int64_t k = 0; k < point_.products().num_variables(); ++k) moved = point_.minimize(k) || moved;
    return moved;
}

bool FrameSolver::is_near(const double* known) const {
    for (std::int64_t k = 0; k < point_.products().num_variables(); ++k) {
        const double x = point_.x()[k];
        if (!(std::abs(x - known[k]) < close_distance)) return false;
        for (const double knot : point_.products().knots(k)) {  // behind a knot, however close, may be another minimum
            if (std::min(x, known[k]) < knot && knot < std::max(x, known[k])) return false;
        }
    }
    return true;
}

/// The sweeps of a cold start. Returns their number.
std::int64_t FrameSolver::sweep_first(std::int64_t max_iterations) {
    std::int64_t count = 0;
    while (count < cold_start_sweeps && count < max_iterations && sweep()) ++count;
    return count;
}

/// One step from the point that was linearized last, after `iterations` others. Returns false if none helps.
bool FrameSolver::step(double threshold, std::int64_t iterations) {
    const bool has_knots = point_.products().has_knots();
    const std::int64_t patience =
        newton_.was_singular() && !has_knots ? steps_before_box_if_singular : steps_before_box;
    needs_box_ = needs_box_ || iterations >= patience;
    if (!needs_box_ && (newton_.step(point_) || sweep())) return true;
    needs_box_ = true;
    if (box_newton_.step(point_, threshold)) return true;
    return has_knots && (newton_.step(point_) || sweep());  // a sweep reaches pieces that BoxNewton does not
}

/// Sweeps a converged point. Returns false, with the point unmoved, if that finds no better minimum.
bool FrameSolver::step_to_other_piece(double threshold) {
    const double objective = point_.objective();
    before_.assign(point_.x(), point_.x() + point_.products().num_variables());
    if (!sweep()) return false;
    double distance = 0.0;
    for (std::size_t k = 0; k < before_.size(); ++k) distance += std::abs(point_.x()[k] - before_[k]);
    if (sweep_gains(objective, point_.objective(), threshold, distance)) return true;
    point_.set(before_.data());
    return false;
}

FrameReport FrameSolver::solve(const Terms& terms, const double* start, Start kind, double threshold,
                               std::int64_t max_iterations, const double* known, double* x) {
    FrameReport report;
    point_.load(terms);
    point_.set(start);
    newton_.start_frame(kind == Start::warm);
    box_newton_.start_frame();
    if (kind == Start::cold) report.iterations = sweep_first(max_iterations);
    for (;; ++report.iterations) {
        report.optimality = newton_.linearize(point_);
        report.converged = report.optimality <= threshold;
        report.reached_known = known != nullptr && is_near(known);
        if (report.iterations >= max_iterations || report.reached_known) break;
        if (report.converged && !has_line_minima_) break;
        if (!(report.converged ? step_to_other_piece(threshold) : step(threshold, report.iterations))) break;
    }
    report.objective = point_.objective();
    std::copy_n(point_.x(), point_.products().num_variables(), x);
    return report;
}

}  // namespace rigcast::optimize
