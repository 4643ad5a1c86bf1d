#pragma once
#include "rigwright/cuda/inverse/frames.h"

namespace rigwright::cuda {

/// The objective of given weights, and its slopes to both sides of each.
struct MeasureFrames {
    static constexpr int threads = inverse_threads;

    InverseRig rig;
    InverseFrames frames;
    InverseMemory memory;
    const double* weights;  // (T, K)
    double *right, *left;   // (T, K)

    template <class Team>
    RIGWRIGHT_TEAM void operator()(const Team& team) const {
        InverseFrameSolver<Team> solver(team, rig, memory);
        InversePoint<Team>& point = solver.point();
        for (std::int64_t t = team.index(); t < frames.count; t += team.count()) {
            const std::int64_t first = t * rig.num_variables;
            point.load(frames.terms(rig, t));
            point.set([&](int k) { return weights[first + k]; });
            const double objective = point.objective();
            team.each(rig.num_variables, [&](int k) {
                right[first + k] = point.slope(k, 1);
                left[first + k] = point.slope(k, -1);
                if (k == 0) frames.objective[t] = objective;
            });
        }
    }
};

}  // namespace rigwright::cuda
