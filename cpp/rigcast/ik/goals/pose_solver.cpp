#include "rigcast/ik/goals/pose_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/ik/goals/goal_residuals.h"
#include "rigcast/optimize/box/box_least_squares.h"

namespace rigcast::ik {
namespace {

constexpr const char* function = "solve";

// Augmented Lagrangians of hard goals; the figures are the customary ones.
constexpr double first_penalty = 100.0;
constexpr double most_penalty = 1e8;
constexpr double penalty_growth = 10.0;
constexpr double enough_reduction = 0.25;
constexpr int max_rounds = 30;
constexpr double hard_tolerance = 10.0;  // of `tolerance`: float32 positions carry no more digits

/// A start beyond its bounds by less than this share of the unknown's scale is rounding of a pose.
constexpr double bound_rounding = 1e-4;

template <class T, int Rank>
const T* shared_row(const View<T, Rank>& rows, std::int64_t t) {
    return rows.row(rows.extent(0) == 1 ? 0 : t);
}

}  // namespace

PoseSolver::PoseSolver(std::shared_ptr<const rig::Deformer> model, double size)
    : model_(std::move(model)),
      linearizer_(model_->linearizer()),
      unknowns_(make_unknowns(model_->character())),
      size_(size) {}

void PoseSolver::rest(std::vector<float>& pose, std::vector<double>& unknowns) const {
    const rig::Character& character = model_->character();
    const std::int64_t columns = character.num_controls(), n = unknowns_->size();
    unknowns.assign(static_cast<std::size_t>(n), 0.0);
    if (!unknowns_->are_channels()) {
        pose = character.rest_pose();
        const View<const float, 2> row(pose.data(), {1, columns});
        return unknowns_->from_poses(row, row, {unknowns.data(), {1, n}});
    }
    const auto& channels = character.channels.list();
    std::transform(channels.begin(), channels.end(), unknowns.begin(),
                   [](const auto& channel) { return channel.rest; });
    const std::vector<float> zeros(static_cast<std::size_t>(columns));
    pose.resize(zeros.size());
    unknowns_->pose(unknowns.data(), zeros.data(), pose.data());
}

/// Solves one frame after another.
class PoseSolver::Frame {
public:
    Frame(const PoseSolver& solver, const PoseTask& task, const PoseResult& result)
        : solver_(solver),
          task_(task),
          result_(result),
          residuals_(*solver.model_, *solver.linearizer_, *solver.unknowns_, task.goals, lever * solver.size_),
          rows_(static_cast<std::size_t>(residuals_.num_rows())) {
        for (const Unknown& unknown : solver.unknowns_->list()) {
            problem_.low.push_back(unknown.low);
            problem_.high.push_back(unknown.high);
            problem_.scale.push_back(unknown.scale);
        }
        low_ = problem_.low;
        high_ = problem_.high;
        problem_.ridge = task.preference * task.preference * solver.size_ * solver.size_;
        for (const Goal& goal : task.goals) weight_ = std::max(weight_, goal.weight);
    }

    void solve(std::int64_t t, const double* start) {
        const std::int64_t n = solver_.unknowns_->size();
        double* x = result_.unknowns.row(t);
        std::copy_n(start, n, x);
        set_bounds(x);
        const double* preferred = shared_row(task_.preferred, t);
        problem_.preferred.assign(preferred, preferred + n);
        const float* reference = shared_row(task_.references, t);
        residuals_.start(task_.values.row(t), reference);
        minimize(t, x);
        residuals_.evaluate(x, rows_.data());
        residuals_.errors(result_.errors.row(t));
        solver_.unknowns_->pose(x, reference, result_.poses.row(t));
        for (std::int64_t k = 0; k < n; ++k) {
            const bool free = problem_.low[k] < problem_.high[k];
            result_.at_bound(t, k) = !free ? 0 : x[k] <= problem_.low[k] ? -1 : x[k] >= problem_.high[k] ? 1 : 0;
        }
    }

private:
    /// The bounds of a frame, which contain its start x; x moves onto them by rounding only.
    void set_bounds(double* x) {
        const std::vector<Unknown>& list = solver_.unknowns_->list();
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (task_.bounds.extent(0) == 0) {
                problem_.low[k] = std::min(low_[k], x[k]);
                problem_.high[k] = std::max(high_[k], x[k]);
            } else {
                problem_.low[k] = task_.bounds(static_cast<std::int64_t>(k), 0);
                problem_.high[k] = task_.bounds(static_cast<std::int64_t>(k), 1);
                x[k] = std::clamp(x[k], problem_.low[k], problem_.high[k]);
            }
            if (list[k].fixed) problem_.low[k] = problem_.high[k] = x[k];
        }
    }

    void minimize(std::int64_t t, double* x) {
        const double tolerance = task_.tolerance * solver_.size_;
        const bool hard = residuals_.has_hard();
        double penalty = hard ? first_penalty : 1.0;
        double previous = std::numeric_limits<double>::infinity();
        std::int64_t iterations = 0;
        for (int round = 0;; ++round) {
            residuals_.set_penalty(penalty);
            const optimize::BoxResult found =
                least_squares_.minimize(residuals_, problem_, weight_ * tolerance * tolerance,
                                        std::max<std::int64_t>(task_.max_iterations - iterations, 0), x);
            iterations += found.iterations;
            result_.objective(t) = found.objective;
            result_.iterations(t) = iterations;
            result_.converged(t) = found.converged;
            if (!hard) return;
            residuals_.evaluate(x, rows_.data());
            const double error = residuals_.hard_error();
            if (error <= hard_tolerance * tolerance) return;
            result_.converged(t) = false;
            if (round == max_rounds || penalty > most_penalty || iterations >= task_.max_iterations) return;
            residuals_.shift();
            if (error > enough_reduction * previous) {
                penalty *= penalty_growth;
                residuals_.scale_shifts(1.0 / penalty_growth);
            }
            previous = error;
        }
    }

    const PoseSolver& solver_;
    const PoseTask& task_;
    const PoseResult& result_;
    GoalResiduals residuals_;
    optimize::BoxLeastSquares least_squares_;
    optimize::BoxProblem problem_;
    std::vector<double> rows_;
    std::vector<double> low_;  // the model's own bounds
    std::vector<double> high_;
    double weight_ = 0.0;
};

void PoseSolver::check(const PoseTask& task) const {
    const std::int64_t frames = task.values.extent(0);
    const std::int64_t n = unknowns_->size();
    check_goals(function, task.goals, task.values, model_->character());
    if (n == 0) throw bad_argument(function, "model", "without a control that may move", "one with controls");
    const std::int64_t starts = task.starts.extent(0) == 1 ? 1 : frames;
    check_shape<const double, 2>(function, "start", task.starts, {starts, n});
    check_shape<const float, 2>(function, "start", task.references,
                                {task.references.extent(0) == 1 ? 1 : starts, model_->character().num_controls()});
    check_shape<const double, 2>(function, "preferred", task.preferred,
                                 {task.preferred.extent(0) == 1 ? 1 : frames, n});
    check_finite(function, "start", task.starts);
    check_finite(function, "preferred", task.preferred);
    if (task.bounds.extent(0) == 0) return;
    check_shape<const double, 2>(function, "bounds", task.bounds, {n, 2});
    for (std::int64_t k = 0; k < n; ++k) {
        const Unknown& unknown = unknowns_->list()[static_cast<std::size_t>(k)];
        const double low = task.bounds(k, 0), high = task.bounds(k, 1), slack = bound_rounding * unknown.scale;
        if (!(low <= high)) throw bad_argument(function, "bounds", "no range for " + unknown.name, "low <= high");
        for (std::int64_t t = 0; t < task.starts.extent(0); ++t) {
            const double x = task.starts(t, k);
            if (x >= low - slack && x <= high + slack) continue;
            throw bad_argument(function, "bounds",
                               "a range of " + unknown.name + " without its start " + std::to_string(x),
                               "around the start");
        }
    }
}

void PoseSolver::solve(const PoseTask& task, const PoseResult& result, int threads) const {
    check(task);
    const std::int64_t frames = task.values.extent(0);
    if (task.starts.extent(0) == 1) {
        Frame frame(*this, task, result);
        for (std::int64_t t = 0; t < frames; ++t)
            frame.solve(t, t == 0 ? task.starts.row(0) : result.unknowns.row(t - 1));
        return;
    }
    constexpr std::int64_t frames_per_task = 8;
    parallel_for(frames, frames_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        Frame frame(*this, task, result);
        for (std::int64_t t = begin; t < end; ++t) frame.solve(t, task.starts.row(t));
    });
}

}  // namespace rigcast::ik
