#pragma once
#include <cstdint>

#include "rigcast/cuda/inverse/frame_solver.h"
#include "rigcast/inverse/frames/solve_frames.h"

namespace rigcast::cuda {

/// Team kernel: solves frames again from the solution of the frame before or after them, and keeps lower objectives.
/// Frames of different runs (inverse::frames_per_run) do not exchange solutions.
struct OfferFrames {
    static constexpr int threads = threads_per_team;

    DeviceProductModel model;
    DeviceFrames frames;
    TeamMemory memory;
    int neighbor;                // -1: the frame before offers its solution, 1: the frame after
    const std::int32_t* offers;  // (T): 1 for frames with a solution to offer
    const double* before;        // (T, K): weights
    double* weights;             // (T, K)
    std::int32_t* improved;      // (T): 1 for frames whose weights changed

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        DeviceFrameSolver<Team> solver(team, model, memory);
        DeviceGramPoint<Team>& point = solver.point();
        const int variables = model.num_variables;
        for (std::int64_t t = team.index(); t < frames.count; t += team.count()) {
            const std::int64_t other = t + neighbor;
            const bool is_in_run =
                other >= 0 && other < frames.count && other / inverse::frames_per_run == t / inverse::frames_per_run;
            bool is_better = false;
            if (is_in_run && offers[other] != 0) {
                point.load(frames.terms(model, t));
                point.set([&](int k) { return before[other * variables + k]; });
                is_better = solve_again(solver, t);
            }
            team.each(variables, [&](int k) {
                weights[t * variables + k] = is_better ? point.x()[k] : before[t * variables + k];
                if (k == 0) improved[t] = is_better ? 1 : 0;
            });
        }
    }

private:
    /// Solves the frame from the solver's point. Returns true if the result replaces the frame's.
    template <class Team>
    RIGCAST_TEAM bool solve_again(DeviceFrameSolver<Team>& solver, std::int64_t t) const {
        std::int32_t iterations = 0;
        bool converged = false;
        const double best = frames.objective[t];
        const double objective = solver.solve(frames, t, false, iterations, converged);
        const bool is_better = optimize::replaces(objective, best);
        solver.point().team().each(1, [&](int) {
            frames.iterations[t] += iterations;
            if (!is_better) return;
            frames.converged[t] = converged ? 1 : 0;
            frames.objective[t] = objective;
        });
        return is_better;
    }
};

}  // namespace rigcast::cuda
