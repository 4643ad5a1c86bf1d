#include "rigwright/optimize/products/solve_coupled.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rigwright/core/parallel.h"
#include "rigwright/optimize/products/bending.h"
#include "rigwright/optimize/products/gram_point.h"
#include "rigwright/optimize/products/newton.h"
#include "rigwright/optimize/products/shot_newton.h"
#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::optimize {
namespace {

class JointSolver {
public:
    JointSolver(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                const ShotOptions& options, const ShotResult& result)
        : products_(products),
          shot_(shot),
          options_(options),
          result_(result),
          frames_(shot.projections.extent(0)),
          width_(products.num_variables()),
          point_{{static_cast<std::size_t>(frames_), GramPoint(products, gram)}, std::vector<QuadraticModel>(frames_)},
          linear_(frames_ * width_),
          quadratic_(frames_ * width_),
          trial_(frames_ * width_),
          change_(frames_),
          optimality_(frames_),
          bend_(frames_),
          single_(shot, bend_, options.threads),
          double_(shot, bend_, options.threads) {
        parallel_for(frames_, 16, options.threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                point_.frames[t].load(shot_.terms(t));
                point_.frames[t].set(result.weights.row(t));
            }
        });
    }

    CoupledReport solve() {
        CoupledReport report;
        bool polished = !products_.has_knots();
        for (double before = HUGE_VAL;; ++report.iterations) {
            const double ratio = look();
            if (options_.report) options_.report(report.iterations, ratio);
            if (report.iterations >= options_.max_iterations) break;
            single_is_enough_ = single_is_enough_ && (ratio < 0.5 * before || holds_many());
            before = ratio;
            if (ratio <= 1.0) {
                if (polished || !sweep()) break;
                polished = true;
            } else if (!newton() && !sweep()) {
                break;
            }
            settle();
        }
        for (std::int64_t t = 0; t < frames_; ++t) {
            std::copy_n(point_.frames[t].x(), width_, result_.weights.row(t));
            result_.iterations(t) += report.iterations;
            result_.converged(t) = optimality_[t] <= options_.thresholds(t);
        }
        return report;
    }

private:
    /// A frame's terms with the temporal term in them, all other frames being as they are.
    Terms coupled_terms(std::int64_t t) {
        double *linear = linear_.data() + t * width_, *quadratic = quadratic_.data() + t * width_;
        for (std::int64_t k = 0; k < width_; ++k) {
            double others = 0.0;
            for (int distance = 1; distance <= 2; ++distance) {
                if (t >= distance) others += bend_(t - distance, distance) * point_.frames[t - distance].x()[k];
                if (t + distance < frames_) others += bend_(t, distance) * point_.frames[t + distance].x()[k];
            }
            linear[k] = shot_.linear(t, k) + 2.0 * shot_.bending(k) * others;
            quadratic[k] = shot_.quadratic(t, k) + shot_.bending(k) * bend_(t, 0);
        }
        return {shot_.projections.row(t), linear, quadratic, shot_.lower.row(t), shot_.upper.row(t)};
    }

    /// The largest ratio of optimality to threshold.
    double look() {
        parallel_for(frames_, 16, options_.threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                point_.frames[t].load(coupled_terms(t));
                optimality_[t] = point_.models[t].look(point_.frames[t]);
            }
        });
        double ratio = 0.0;
        for (std::int64_t t = 0; t < frames_; ++t) {
            if (!(optimality_[t] <= 0.0)) ratio = steeper(ratio, optimality_[t] / options_.thresholds(t));
        }
        return ratio;
    }

    /// A Newton step in each frame that is not solved, one after another, all others being as they are: where a few
    /// variables leave or meet their bounds this finds them for far less than another step over the whole shot.
    void settle() {
        for (std::int64_t t = 0; t < frames_; ++t) {
            point_.frames[t].load(coupled_terms(t));
            local_.begin(true);
            if (local_.look(point_.frames[t]) > options_.thresholds(t)) local_.take(point_.frames[t]);
        }
    }

    /// Exact steps in single variables, frame by frame.
    bool sweep() {
        bool moved = false;
        for (std::int64_t t = 0; t < frames_; ++t) {
            point_.frames[t].load(coupled_terms(t));
            for (std::int64_t k = 0; k < width_; ++k) moved = point_.frames[t].minimize(k, false) || moved;
        }
        return moved;
    }

    /// One step that lowers the objective.
    bool newton() {
        if (single_is_enough_) {
            if (take(single_, true)) return true;
            single_is_enough_ = false;
        }
        for (const bool curvature : {true, false}) {
            if (take(double_, curvature)) return true;
            if (products_.is_linear()) break;
        }
        return false;
    }

    /// Whether the last step met many bounds, so that it says little of its precision.
    bool holds_many() const {
        return 100 * std::count(step_.held.begin(), step_.held.end(), 1) > static_cast<std::int64_t>(step_.held.size());
    }

    /// A step from a Hessian in either precision. One that cuts variables short is taken as it is, for the others to be
    /// mended by the next one, unless that hardly helps; it is still what is left where the completed step helps less.
    template <class Real>
    bool take(ShotNewton<Real>& newton, bool curvature) {
        if (!newton.find(point_, curvature, step_)) return false;
        if (!step_.is_cut) return search(shortest_step);
        if (search(0.2)) return true;
        cut_ = step_;
        if (newton.complete(point_, curvature, step_) && search(shortest_step)) return true;
        std::swap(step_, cut_);
        return search(shortest_step);
    }

    /// Backtracks along step_ until the objective falls; false, with nothing moved, where it does not.
    bool search(double shortest) {
        for (double length = 1.0; length > shortest; length *= step_shrinkage) {
            for (std::int64_t t = 0; t < frames_; ++t) aim(t, length);
            double change = bending_change();
            parallel_for(frames_, 16, options_.threads, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t t = begin; t < end; ++t) {
                    point_.frames[t].load(shot_.terms(t));
                    change_[t] = point_.frames[t].move(trial_.data() + t * width_);
                }
            });
            for (const double own : change_) change += own;
            if (decreases_enough(change, length, step_.slope)) return true;
            for (GramPoint& frame : point_.frames) frame.undo();
        }
        for (std::int64_t t = 0; t < frames_; ++t) point_.frames[t].load(coupled_terms(t));
        return false;
    }

    /// A frame's part of trial_: so far along step_.
    void aim(std::int64_t t, double length) {
        const QuadraticModel& model = point_.models[t];
        double* trial = trial_.data() + t * width_;
        std::copy_n(point_.frames[t].x(), width_, trial);
        for (std::int64_t i = 0; i < model.size(); ++i) {
            const std::int64_t own = step_.begin[t] + i;
            trial[model.free()[i]] = after_step(model.at()[i], step_.length[own], length, step_.held[own] != 0,
                                                model.low()[i], model.high()[i]);
        }
    }

    /// What the temporal term gains on the way from the point to trial_.
    double bending_change() const {
        double change = 0.0;
        for (std::int64_t t = 1; t + 1 < frames_; ++t) {
            const double *before = trial_.data() + (t - 1) * width_, *here = before + width_, *after = here + width_;
            for (std::int64_t k = 0; k < width_; ++k) {
                const double old =
                    point_.frames[t - 1].x()[k] - 2.0 * point_.frames[t].x()[k] + point_.frames[t + 1].x()[k];
                const double now = before[k] - 2.0 * here[k] + after[k];
                change += shot_.bending(k) * (now - old) * (now + old);
            }
        }
        return change;
    }

    const ProductModel& products_;
    const Shot& shot_;
    const ShotOptions& options_;
    const ShotResult& result_;
    std::int64_t frames_, width_;
    ShotPoint point_;
    std::vector<double> linear_, quadratic_;  // coupled terms
    std::vector<double> trial_, change_, optimality_;
    Bending bend_;
    ShotStep step_, cut_;
    ShotNewton<float> single_;
    ShotNewton<double> double_;
    bool single_is_enough_ = true;
    NewtonStep local_;
};

}  // namespace

CoupledReport solve_coupled(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                            const ShotOptions& options, const ShotResult& result) {
    return JointSolver(products, gram, shot, options, result).solve();
}

}  // namespace rigwright::optimize
