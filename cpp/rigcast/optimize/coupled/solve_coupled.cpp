#include "rigcast/optimize/coupled/solve_coupled.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rigcast/core/parallel.h"
#include "rigcast/optimize/coupled/shot_line_search.h"
#include "rigcast/optimize/coupled/shot_newton.h"
#include "rigcast/optimize/coupled/temporal_term.h"
#include "rigcast/optimize/products/newton_step.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {
namespace {

constexpr std::int64_t frames_per_task = 16;
// Steps below were counted on the shots of shot_newton.cpp, of 28 and 130 steps.

/// Single precision is enough as long as each step reduces the optimality to this share of it. Not sensitive: 0.25 and
/// 0.9 take as many steps within one. Double precision from the first step on takes more than 200 instead of 130.
constexpr double single_precision_reduction = 0.5;
/// A step that fixed more than one in this many of its variables says nothing about the precision: the optimality may
/// be that of variables that were fixed too early. Hardly sensitive: 20 takes 32 and 127 steps, 1,000 takes 33 and 132.
constexpr std::int64_t variables_per_fixed = 100;
/// A clamped step is tried down to this length (1, 1/2, 1/4) before it is completed, which costs more solves. Not tuned
/// for stiff shots: 0.4 takes 23 and 71 steps, 0.05 takes 22 and 162.
constexpr double shortest_clamped_step = 0.2;

class CoupledSolver {
public:
    CoupledSolver(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                  const ShotOptions& options, const ShotResult& result)
        : products_(products),
          options_(options),
          result_(result),
          num_frames_(shot.projections.extent(0)),
          point_{{static_cast<std::size_t>(num_frames_), GramPoint(products, gram)},
                 std::vector<QuadraticModel>(num_frames_)},
          temporal_(shot),
          line_search_(shot, temporal_, options.threads),
          single_newton_(shot, temporal_.bending(), options.threads),
          double_newton_(shot, temporal_.bending(), options.threads),
          optimality_(num_frames_) {
        parallel_for(num_frames_, frames_per_task, options.threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                point_.points[t].load(shot.terms(t));
                point_.points[t].set(result.weights.row(t));
            }
        });
    }

    CoupledReport solve() {
        CoupledReport report;
        bool is_swept = !products_.has_knots();  // a better minimum may lie on another piece
        for (double previous = HUGE_VAL;; ++report.iterations) {
            const double ratio = linearize();
            if (options_.report) options_.report(report.iterations, ratio);
            if (report.iterations >= options_.max_iterations) break;
            single_is_enough_ =
                single_is_enough_ && (ratio < single_precision_reduction * previous || last_step_fixed_many());
            previous = ratio;
            if (ratio <= 1.0) {
                if (is_swept || !sweep()) break;
                is_swept = true;
            } else if (!newton_step() && !sweep()) {
                break;
            }
            step_single_frames();
        }
        write_result(report.iterations);
        return report;
    }

private:
    /// Builds the models of all frames. Returns the largest ratio of a frame's optimality to its threshold.
    double linearize() {
        parallel_for(num_frames_, frames_per_task, options_.threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                load_frame(t);
                optimality_[t] = point_.models[t].linearize(point_.points[t]);
            }
        });
        double ratio = 0.0;
        for (std::int64_t t = 0; t < num_frames_; ++t) {
            if (!(optimality_[t] <= 0.0)) ratio = steeper(ratio, optimality_[t] / options_.thresholds(t));
        }
        return ratio;
    }

    /// Loads frame t's terms with the temporal term, other frames staying where they are.
    void load_frame(std::int64_t t) { point_.points[t].load(temporal_.frame_terms(t, point_.points)); }

    /// A Newton step in each frame that is not solved, one frame after another. If only a few variables become free or
    /// meet a bound, this corrects them at a fraction of the cost of a step over the whole shot.
    void step_single_frames() {
        for (std::int64_t t = 0; t < num_frames_; ++t) {
            load_frame(t);
            frame_newton_.start_frame(false);
            if (frame_newton_.linearize(point_.points[t]) > options_.thresholds(t)) {
                frame_newton_.step(point_.points[t]);
            }
        }
    }

    /// Minimizes exactly over every variable of every frame in turn. Returns true if one moved.
    bool sweep() {
        bool moved = false;
        for (std::int64_t t = 0; t < num_frames_; ++t) {
            load_frame(t);
            for (std::int64_t k = 0; k < products_.num_variables(); ++k) moved = point_.points[t].minimize(k) || moved;
        }
        return moved;
    }

    /// One step over the whole shot, with the Gauss-Newton matrix if the Hessian gives none. Returns false, with the
    /// points unmoved, if none lowers the objective.
    bool newton_step() {
        if (single_is_enough_) {
            if (newton_step(single_newton_, true)) return true;
            single_is_enough_ = false;
        }
        for (const bool curvature : {true, false}) {
            if (newton_step(double_newton_, curvature)) return true;
            if (products_.is_linear()) break;
        }
        return false;
    }

    /// A clamped step is taken as it is if that helps: the next step corrects the other variables. Else it is
    /// completed; if that helps less, shorter clamped steps are tried.
    template <class Real>
    bool newton_step(ShotNewton<Real>& newton, bool curvature) {
        if (!newton.find_step(point_, curvature, step_)) return false;
        if (!step_.is_clamped) return line_search_.search(point_, step_, shortest_step);
        if (line_search_.search(point_, step_, shortest_clamped_step)) return true;
        clamped_step_ = step_;
        if (newton.complete_step(point_, curvature, step_) && line_search_.search(point_, step_, shortest_step)) {
            return true;
        }
        std::swap(step_, clamped_step_);
        return line_search_.search(point_, step_, shortest_step);
    }

    bool last_step_fixed_many() const {
        const auto num_fixed = std::count(step_.is_fixed.begin(), step_.is_fixed.end(), 1);
        return num_fixed > std::ssize(step_.is_fixed) / variables_per_fixed;
    }

    void write_result(std::int64_t iterations) {
        for (std::int64_t t = 0; t < num_frames_; ++t) {
            std::copy_n(point_.points[t].x(), products_.num_variables(), result_.weights.row(t));
            result_.iterations(t) += iterations;
            result_.converged(t) = optimality_[t] <= options_.thresholds(t);
        }
    }

    const ProductModel& products_;
    const ShotOptions& options_;
    const ShotResult& result_;
    std::int64_t num_frames_;
    ShotPoint point_;
    TemporalTerm temporal_;
    ShotLineSearch line_search_;
    ShotNewton<float> single_newton_;
    ShotNewton<double> double_newton_;
    NewtonStep frame_newton_;
    ShotStep step_;
    ShotStep clamped_step_;
    std::vector<double> optimality_;  // (T)
    bool single_is_enough_ = true;
};

}  // namespace

CoupledReport solve_coupled(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                            const ShotOptions& options, const ShotResult& result) {
    return CoupledSolver(products, gram, shot, options, result).solve();
}

}  // namespace rigcast::optimize
