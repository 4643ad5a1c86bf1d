#pragma once
#include <cstdint>

#include "rigcast/cuda/inverse/jobs.h"
#include "rigcast/cuda/machine/matrix_units.h"

namespace rigcast::cuda {

/// Team kernel: begins cold jobs with sweeps of exact steps in single variables, as optimize::FrameSolver does. They
/// reach lower minima than gradient steps alone, across which these would not come.
///
/// A sweep is a chain of small steps, each of which waits for the one before. Many small teams hide that: a warp has no
/// barriers to wait at, and keeps in shared memory only what sweeps use.
struct SweepJobs {
    static constexpr int threads = lanes_per_warp;

    DeviceProductModel model;
    DeviceFrames frames;
    TeamMemory memory;
    DeviceJobs jobs;
    const std::int32_t* slots;  // (count)
    std::int64_t count;

    /// The memory that a team needs, with at most `most_shared` doubles of shared memory.
    template <class Team>
    static TeamMemory memory_of(const DeviceProductModel& model, std::int64_t most_shared) {
        const std::int64_t near = DeviceGramPoint<Team>::num_near(model);
        const std::int64_t far = DeviceGramPoint<Team>::num_far(model);
        return near <= most_shared ? TeamMemory{near, far, true} : TeamMemory{0, near + far, false};
    }

    /// Sweeps of a cold job.
    RIGCAST_DEVICE static std::int64_t num_sweeps(std::int64_t max_iterations) {
        return max_iterations < optimize::cold_start_sweeps ? max_iterations : optimize::cold_start_sweeps;
    }

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        Arena far{memory.global + team.index() * memory.global_per_team};
        Arena near = memory.vectors_are_shared ? Arena{team.shared()}
                                               : Arena{far.doubles(DeviceGramPoint<Team>::num_near(model))};
        DeviceGramPoint<Team> point(team, model, near, far);
        for (std::int64_t i = team.index(); i < count; i += team.count()) {
            const std::int64_t slot = slots[i];
            if (jobs.state[slot] != cold) continue;
            double* y = jobs.y + slot * model.num_variables;
            point.load(frames.terms(model, jobs.frame[slot]));
            point.set([&](int k) { return y[k]; });
            bool moved = true;
            RIGCAST_ROLLED
            for (std::int64_t sweep = 0; sweep < num_sweeps(frames.max_iterations) && moved; ++sweep) {
                moved = point.sweep();
            }
            team.each(model.num_variables, [&](int k) {
                y[k] = point.x()[k];
                jobs.x[slot * model.num_variables + k] = y[k];
                if (k == 0) jobs.state[slot] = running;
            });
            team.each(model.num_columns,
                      [&](int n) { jobs.phi[slot * model.num_columns + n] = model.activation(n, y); });
        }
    }
};

/// Team kernel: ends jobs by the team solver, from their points.
struct FinishJobs {
    static constexpr int threads = threads_per_team;

    DeviceProductModel model;
    DeviceFrames frames;
    TeamMemory memory;
    JobTask task;
    DeviceJobs jobs;
    const std::int32_t* slots;  // (count)
    std::int64_t count;
    bool in_lockstep;  // the jobs have taken steps: sweeps must not come first

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        DeviceFrameSolver<Team> solver(team, model, memory);
        DeviceGramPoint<Team>& point = solver.point();
        for (std::int64_t i = team.index(); i < count; i += team.count()) {
            const std::int64_t slot = slots[i];
            const std::int64_t t = jobs.frame[slot];
            double* y = jobs.y + slot * model.num_variables;
            point.load(frames.terms(model, t));
            point.set([&](int k) { return y[k]; });
            std::int32_t iterations = 0;
            bool is_solved = false;
            const double objective = solver.solve(frames, t, is_cold(jobs.start[slot]), iterations, is_solved);
            team.each(model.num_variables, [&](int k) {
                y[k] = point.x()[k];
                if (k != 0) return;
                jobs.objective[slot] = objective;
                jobs.steps[slot] += iterations;
                jobs.state[slot] = is_solved ? converged : stopped;
            });
        }
    }

private:
    /// A start beyond a knot and a neighbor's solution must not be swept first: sweeps would lead back at once.
    RIGCAST_DEVICE bool is_cold(int number) const {
        if (in_lockstep || task.is_offer()) return false;
        const Starts starts{model.num_multistarts, model.knot_begin[model.num_variables], task.restarts};
        return starts[number].kind != StartKind::beyond_knot;
    }
};

}  // namespace rigcast::cuda
