#include "rigcast/inverse/frames/solve_frames.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "rigcast/core/parallel.h"
#include "rigcast/optimize/products/frame_solver.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::inverse {
namespace {

// Restarts cost several solves of a frame: rarer ones are faster, and later to leave a minimum that has become bad.
// Chosen, not tuned.
constexpr std::int64_t shortest_period = 32;  // frames
constexpr std::int64_t longest_period = 128;  // frames

// Smaller ratios restart more often. Chosen, not tuned: successive frames of motion differ by a few percent.
constexpr double jump_ratio = 0.3;      // of the norm of a frame's projections
constexpr double far_step_ratio = 0.1;  // of a weight's range

bool has_bending(const optimize::Shot& shot) {
    return std::any_of(shot.bending.begin(), shot.bending.end(), [](double s) { return s > 0.0; });
}

/// What all runs of a shot share.
struct FrameProblem {
    const optimize::ProductModel& products;
    const linalg::GramMatrix& gram;
    const LinearStart& linear_start;
    const Multistart& multistart;
    const optimize::Shot& shot;
    const optimize::ShotOptions& options;
    const optimize::ShotResult& result;
};

/// Successive frames of a shot, solved one after another.
class FrameRun {
public:
    FrameRun(const FrameProblem& problem, std::int64_t begin, std::int64_t end)
        : problem_(problem),
          shot_(problem.shot),
          result_(problem.result),
          begin_(begin),
          end_(end),
          num_variables_(problem.products.num_variables()),
          has_bending_(has_bending(problem.shot)),
          solver_(problem.products, problem.gram),
          schedule_({!problem.products.is_linear(), problem.products.has_knots(), problem.multistart.count() > 0}),
          objective_(end - begin) {}

    void solve() {
        for (std::int64_t t = begin_; t < end_; ++t) solve_frame(t);
    }

private:
    void solve_frame(std::int64_t t) {
        const bool is_first = t == begin_;
        const bool anew = schedule_.begin_frame(!is_first && jumps(t), !is_first && has_solution(t - 1));
        if (anew) given_.assign(result_.weights.row(t), result_.weights.row(t) + num_variables_);
        solve_first(t, result_.weights.row(anew ? t : t - 1), anew ? optimize::Start::cold : optimize::Start::warm);
        const RestartSchedule::Others others = schedule_.try_others(!anew && steps_far(t));
        bool found_lower = others.beyond_knots && cross_knots(t);
        if (others.restart) {
            found_lower = restart(t, anew) || found_lower;
            schedule_.end_restart(found_lower);
        }
        if (found_lower && !has_bending_) solve_backwards(t);
    }

    bool jumps(std::int64_t t) const {
        const auto count = static_cast<std::size_t>(problem_.products.num_columns());
        return targets_jump({shot_.projections.row(t), count}, {shot_.projections.row(t - 1), count});
    }

    bool steps_far(std::int64_t t) const {
        const auto count = static_cast<std::size_t>(num_variables_);
        return is_far_step({result_.weights.row(t), count}, {result_.weights.row(t - 1), count},
                           {shot_.lower.row(t), count}, {shot_.upper.row(t), count});
    }

    /// Returns true if a frame ended with finite weights: a start that is NaN, or terms that overflow, leave none.
    bool has_solution(std::int64_t t) const {
        const double* x = result_.weights.row(t);
        return std::all_of(x, x + num_variables_, [](double value) { return std::isfinite(value); });
    }

    /// The frame's terms, bending included.
    optimize::Terms terms_of(std::int64_t t) {
        optimize::Terms terms = shot_.terms(t);
        if (!has_bending_ || t < 2) return terms;
        linear_.assign(terms.linear, terms.linear + num_variables_);
        quadratic_.assign(terms.quadratic, terms.quadratic + num_variables_);
        for (std::int64_t k = 0; k < num_variables_; ++k) {
            const double extrapolated = 2.0 * result_.weights(t - 1, k) - result_.weights(t - 2, k);
            linear_[k] -= 2.0 * shot_.bending(k) * extrapolated;
            quadratic_[k] += shot_.bending(k);
        }
        terms.linear = linear_.data();
        terms.quadratic = quadratic_.data();
        return terms;
    }

    /// Solves the frame from a start clipped to its box, into point_. `known`: see optimize::FrameSolver::solve.
    optimize::FrameReport solve_from(std::int64_t t, const double* start, optimize::Start kind, const double* known) {
        const optimize::Terms terms = terms_of(t);
        point_.resize(num_variables_);
        for (std::int64_t k = 0; k < num_variables_; ++k) {
            point_[k] = std::clamp(start[k], terms.lower[k], terms.upper[k]);
        }
        return solver_.solve(terms, point_.data(), kind, problem_.options.thresholds(t),
                             problem_.options.max_iterations, known, point_.data());
    }

    void keep(std::int64_t t, const optimize::FrameReport& report) {
        objective_[t - begin_] = report.objective;
        result_.converged(t) = report.converged;
        std::copy(point_.begin(), point_.end(), result_.weights.row(t));
    }

    void solve_first(std::int64_t t, const double* start, optimize::Start kind) {
        const optimize::FrameReport report = solve_from(t, start, kind, nullptr);
        result_.iterations(t) = report.iterations;
        keep(t, report);
    }

    /// Solves the frame from one more start. Keeps the result and returns true if it is lower than the frame's, or as
    /// low and converged for the first time.
    bool solve_again(std::int64_t t, const double* start, optimize::Start kind) {
        const optimize::FrameReport report = solve_from(t, start, kind, result_.weights.row(t));
        result_.iterations(t) += report.iterations;
        const double best = objective_[t - begin_];
        found_same_ = report.reached_known || optimize::is_same_minimum(report.objective, best);
        const bool converges_first =
            report.converged && !result_.converged(t) && optimize::is_as_low(report.objective, best);
        if (!optimize::replaces(report.objective, best) && !converges_first) return false;
        keep(t, report);
        return true;
    }

    /// Tries the solution with one weight at a time beyond a knot that it is near.
    bool cross_knots(std::int64_t t) {
        bool found_lower = false;
        const optimize::Terms terms = terms_of(t);
        for (std::int64_t k = 0; k < num_variables_; ++k) {
            for (const double knot : problem_.products.knots(k)) {
                const double* best = result_.weights.row(t);
                double mirrored = 0.0;
                if (!mirror_at_knot(knot, terms.lower[k], terms.upper[k], best[k], mirrored)) continue;
                start_.assign(best, best + num_variables_);
                start_[k] = mirrored;
                found_lower = solve_again(t, start_.data(), optimize::Start::across_knot) || found_lower;
            }
        }
        return found_lower;
    }

    /// Tries zero, the linear solution and Multistart's starts. `tried_given`: the frame was solved from given_.
    bool restart(std::int64_t t, bool tried_given) {
        bool found_lower = false;
        const optimize::Terms terms = terms_of(t);
        start_.assign(num_variables_, 0.0);
        for (std::int64_t k = 0; k < num_variables_; ++k) {
            start_[k] = std::clamp(0.0, terms.lower[k], terms.upper[k]);
        }
        if (!tried_given || start_ != given_) found_lower = solve_again(t, start_.data(), optimize::Start::cold);
        if (problem_.linear_start.solve(terms, start_)) {
            found_lower = solve_again(t, start_.data(), optimize::Start::cold) || found_lower;
        }
        return multistart(t) || found_lower;
    }

    bool multistart(std::int64_t t) {
        bool found_lower = false;
        int agreeing = 0;  // starts that have ended at the lowest objective
        for (std::int64_t i = 0; i < problem_.multistart.count() && agreeing < agreeing_multistarts; ++i) {
            const optimize::Terms terms = terms_of(t);
            const double* fraction = problem_.multistart.fractions(i);
            start_.assign(result_.weights.row(t), result_.weights.row(t) + num_variables_);
            for (std::int64_t k = 0; k < num_variables_; ++k) {
                if (fraction[k] < 0.0) continue;
                start_[k] = terms.lower[k] + fraction[k] * (terms.upper[k] - terms.lower[k]);
            }
            const bool is_lower = solve_again(t, start_.data(), optimize::Start::cold);
            agreeing = is_lower ? 1 : agreeing + found_same_;
            found_lower = found_lower || is_lower;
        }
        if (found_lower) cross_knots(t);
        return found_lower;
    }

    /// Tries the solutions of frames on the frames before them, from frame t back, as long as that lowers one.
    void solve_backwards(std::int64_t t) {
        while (t-- > begin_ && solve_again(t, result_.weights.row(t + 1), optimize::Start::warm)) {
        }
    }

    const FrameProblem& problem_;
    const optimize::Shot& shot_;
    const optimize::ShotResult& result_;
    std::int64_t begin_;
    std::int64_t end_;
    std::int64_t num_variables_;
    bool has_bending_;
    optimize::FrameSolver solver_;
    RestartSchedule schedule_;
    bool found_same_ = false;        // the last solve_again ended at the frame's known minimum
    std::vector<double> objective_;  // (end - begin)
    std::vector<double> given_;      // the caller's start, of a frame that was solved from it
    std::vector<double> start_;
    std::vector<double> point_;
    std::vector<double> linear_;  // of terms_of
    std::vector<double> quadratic_;
};

}  // namespace

bool RestartSchedule::begin_frame(bool targets_jump, bool follows_solution) {
    ++frame_;
    starts_anew_ = frame_ == 0 || targets_jump || !follows_solution;
    return starts_anew_;
}

RestartSchedule::Others RestartSchedule::try_others(bool is_far_step) const {
    const bool is_far = kinds_.can_multistart && !starts_anew_ && is_far_step;
    const bool is_due = frame_ == next_restart_;
    return {kinds_.can_cross_knots, kinds_.can_restart && (starts_anew_ || is_far || is_due)};
}

void RestartSchedule::end_restart(bool found_lower) {
    period_ = found_lower || frame_ == 0 ? shortest_period : std::min(2 * period_, longest_period);
    next_restart_ = frame_ + period_;
}

bool targets_jump(std::span<const double> projections, std::span<const double> projections_before) {
    double change = 0.0;
    double size = 0.0;
    for (std::size_t n = 0; n < projections.size(); ++n) {
        const double difference = projections[n] - projections_before[n];
        change += difference * difference;
        size += projections[n] * projections[n];
    }
    return change > jump_ratio * jump_ratio * size;
}

bool is_far_step(std::span<const double> weights, std::span<const double> weights_before, std::span<const double> lower,
                 std::span<const double> upper) {
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (std::abs(weights[k] - weights_before[k]) > far_step_ratio * (upper[k] - lower[k])) return true;
    }
    return false;
}

void solve_frames(const optimize::ProductModel& products, const linalg::GramMatrix& gram, const optimize::Shot& shot,
                  const optimize::ShotOptions& options, const optimize::ShotResult& result) {
    const LinearStart linear_start(products, gram);
    const Multistart multistart(products, gram.padded());
    const FrameProblem problem{products, gram, linear_start, multistart, shot, options, result};
    const std::int64_t frames = shot.projections.extent(0);
    const std::int64_t frames_per_piece = has_bending(shot) ? frames : frames_per_run;
    parallel_for(frames, frames_per_piece, options.threads,
                 [&](std::int64_t begin, std::int64_t end) { FrameRun(problem, begin, end).solve(); });
}

}  // namespace rigcast::inverse
