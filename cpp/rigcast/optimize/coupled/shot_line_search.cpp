#include "rigcast/optimize/coupled/shot_line_search.h"

#include <algorithm>

#include "rigcast/core/parallel.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {
namespace {

constexpr std::int64_t frames_per_task = 16;

}  // namespace

ShotLineSearch::ShotLineSearch(const Shot& shot, TemporalTerm& temporal, int threads)
    : shot_(shot),
      temporal_(temporal),
      threads_(threads),
      trial_(shot.lower.extent(0) * shot.lower.extent(1)),
      change_(shot.lower.extent(0)) {}

bool ShotLineSearch::search(ShotPoint& point, const ShotStep& step, double shortest) {
    for (double length = 1.0; length > shortest; length *= step_shrinkage) {
        if (decreases_enough(move(point, step, length), length, step.slope)) return true;
        for (GramPoint& p : point.points) p.undo();
    }
    for (std::int64_t t = 0; t < point.num_frames(); ++t) {
        point.points[t].load(temporal_.frame_terms(t, point.points));
    }
    return false;
}

/// Moves all points by `length` of a step. Returns the change of the objective.
double ShotLineSearch::move(ShotPoint& point, const ShotStep& step, double length) {
    for (std::int64_t t = 0; t < point.num_frames(); ++t) place(point, step, length, t);
    double change = temporal_.change(point.points, trial_);
    const std::int64_t num_variables = shot_.lower.extent(1);
    parallel_for(point.num_frames(), frames_per_task, threads_, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            point.points[t].load(shot_.terms(t));
            change_[t] = point.points[t].move(trial_.data() + t * num_variables);
        }
    });
    for (const double c : change_) change += c;
    return change;
}

/// Writes frame t's row of trial_.
void ShotLineSearch::place(const ShotPoint& point, const ShotStep& step, double length, std::int64_t t) {
    const QuadraticModel& model = point.models[t];
    const std::int64_t num_variables = shot_.lower.extent(1);
    double* trial = trial_.data() + t * num_variables;
    std::copy_n(point.points[t].x(), num_variables, trial);
    for (std::int64_t i = 0; i < model.size(); ++i) {
        const std::int64_t entry = step.begin[t] + i;
        trial[model.variables()[i]] = after_step(model.x()[i], step.change[entry], length, step.is_fixed[entry] != 0,
                                                 model.low()[i], model.high()[i]);
    }
}

}  // namespace rigcast::optimize
