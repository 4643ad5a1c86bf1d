#pragma once
#include <cstdint>

#include "rigcast/cuda/inverse/frame_solver.h"

namespace rigcast::cuda {

/// Team kernel: the objective of given weights, and its slopes to both sides of each weight. The device's
/// optimize::measure_frames.
struct MeasureFrames {
    static constexpr int threads = threads_per_team;

    DeviceProductModel model;
    DeviceFrames frames;
    TeamMemory memory;
    const double* weights;  // (T, K)
    double* right;          // (T, K)
    double* left;           // (T, K)

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        DeviceFrameSolver<Team> solver(team, model, memory);
        DeviceGramPoint<Team>& point = solver.point();
        for (std::int64_t t = team.index(); t < frames.count; t += team.count()) {
            const std::int64_t first = t * model.num_variables;
            point.load(frames.terms(model, t));
            point.set([&](int k) { return weights[first + k]; });
            const double objective = point.objective();
            team.each(model.num_variables, [&](int k) {
                right[first + k] = point.slope(k, 1);
                left[first + k] = point.slope(k, -1);
                if (k == 0) frames.objective[t] = objective;
            });
        }
    }
};

}  // namespace rigcast::cuda
