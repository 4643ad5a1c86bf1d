#include "rigwright/optimize/products/frame_solver.h"

#include <algorithm>
#include <cmath>

#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::optimize {

bool FrameSolver::sweep(bool local) {
    bool moved = false;
    for (std::int64_t k = 0; k < frame_.products().num_variables(); ++k) moved = frame_.minimize(k, local) || moved;
    return moved;
}

bool FrameSolver::is_near(const double* known) const {
    constexpr double near = 1e-3;  // a weight; corrections bend the objective over tenths
    for (std::int64_t k = 0; k < frame_.products().num_variables(); ++k) {
        const double x = frame_.x()[k];
        if (!(std::abs(x - known[k]) < near)) return false;
        for (const double knot : frame_.products().knots(k)) {  // another minimum may lie behind it, however near
            if (std::min(x, known[k]) < knot && knot < std::max(x, known[k])) return false;
        }
    }
    return true;
}

/// One step from the point looked at, after `iterations` others. Returns false if none helps.
bool FrameSolver::step(double threshold, std::int64_t iterations) {
    const bool has_knots = frame_.products().has_knots();
    const std::int64_t patience = newton_.was_singular() && !has_knots ? 24 : 200;  // independent shapes need less
    in_box_ = in_box_ || iterations >= patience;
    if (!in_box_ && (newton_.take(frame_) || sweep(false))) return true;
    in_box_ = true;
    if (box_newton_.take(frame_, threshold)) return true;
    return has_knots && (newton_.take(frame_) || sweep(false));  // sweeps look beyond the pieces next to a variable
}

FrameReport FrameSolver::solve(const Terms& terms, const double* start, Start kind, double threshold,
                               std::int64_t max_iterations, const double* known, double* x) {
    const ProductModel& products = frame_.products();
    bool many_minima = products.has_knots();  // along a single variable
    for (std::int64_t k = 0; k < products.num_variables(); ++k) many_minima = many_minima || products.degree(k) > 1;
    FrameReport report;
    frame_.load(terms);
    frame_.set(start);
    newton_.begin(kind != Start::warm);
    box_newton_.begin();
    for (int i = 0; kind == Start::cold && i < cold_start_sweeps && report.iterations < max_iterations;
         ++i, ++report.iterations) {
        if (!sweep(false)) break;
    }
    for (;; ++report.iterations) {
        report.optimality = newton_.look(frame_);
        report.converged = report.optimality <= threshold;
        report.reached_known = known != nullptr && is_near(known);
        if (report.iterations >= max_iterations || report.reached_known) break;
        if (report.converged) {
            if (!many_minima) break;
            const double before = frame_.objective();
            solved_.assign(frame_.x(), frame_.x() + products.num_variables());
            if (!sweep(false)) break;
            double distance = 0.0;
            for (std::size_t k = 0; k < solved_.size(); ++k) distance += std::abs(frame_.x()[k] - solved_[k]);
            if (sweep_gains(before, frame_.objective(), threshold, distance)) continue;
            frame_.set(solved_.data());
            break;
        } else if (!step(threshold, report.iterations)) {
            break;
        }
    }
    report.objective = frame_.objective();
    std::copy_n(frame_.x(), products.num_variables(), x);
    return report;
}

}  // namespace rigwright::optimize
