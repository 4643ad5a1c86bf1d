#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/coupled/shot_point.h"
#include "rigcast/optimize/coupled/temporal_term.h"

namespace rigcast::optimize {

/// Backtracking along a step of all frames. Not thread-safe: use one per thread.
class ShotLineSearch {
public:
    /// Keeps references to `shot` and `temporal`.
    ShotLineSearch(const Shot& shot, TemporalTerm& temporal, int threads);

    /// Halves the step until the objective falls enough (see step_rules.h) and moves the points; their terms are then
    /// those of the shot, without the temporal term. Returns false, with points and terms as before, if that takes a
    /// step no longer than `shortest`.
    bool search(ShotPoint& point, const ShotStep& step, double shortest);

private:
    double move(ShotPoint& point, const ShotStep& step, double length);
    void place(const ShotPoint& point, const ShotStep& step, double length, std::int64_t t);

    const Shot& shot_;
    TemporalTerm& temporal_;
    int threads_;
    std::vector<double> trial_;   // (T, K)
    std::vector<double> change_;  // (T): of each frame's own objective
};

}  // namespace rigcast::optimize
