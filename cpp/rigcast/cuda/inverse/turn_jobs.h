#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/cuda/inverse/jobs.h"
#include "rigcast/inverse/frames/solve_frames.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::cuda {

/// Team kernel: keeps the results of jobs that have ended and begins the next job in their slots: the frame's next
/// start, or the first of a new frame, or nothing.
///
/// A frame is solved from all Starts, in their order, and the lowest objective is kept; multistarts end once
/// inverse::agreeing_multistarts of them have ended at the lowest objective. frames.iterations are summed over the
/// starts. Frames are independent; inverse::solve_frames instead starts a frame from the solution of the frame before
/// it. Of offers, a frame has one start: the solution of its neighbor.
struct TurnJobs {
    static constexpr int threads = 64;

    DeviceProductModel model;
    JobTask task;
    DeviceJobs jobs;
    const std::int32_t* slots;  // (count)
    const std::int32_t* fresh;  // (count) frames that begin in these slots; -1: the slot's job has ended
    std::int64_t count;
    double first_curvature;
    bool in_lockstep;  // otherwise the team solver does all

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        for (std::int64_t i = team.index(); i < count; i += team.count()) {
            const std::int64_t slot = slots[i];
            const bool begins = fresh[i] >= 0;
            const std::int64_t t = begins ? fresh[i] : jobs.frame[slot];
            const int number = begins ? -1 : jobs.start[slot];
            if (begins) {
                clear(team, t);
            } else {
                keep(team, slot, t, number);
            }
            begin_next(team, slot, t, number);
        }
    }

private:
    RIGCAST_DEVICE Starts starts() const {
        return {model.num_multistarts, model.knot_begin[model.num_variables], task.restarts};
    }

    template <class Team>
    RIGCAST_TEAM void clear(const Team& team, std::int64_t t) const {
        team.each(1, [&](int) {
            if (!task.is_offer()) {
                task.frames.iterations[t] = 0;
                task.frames.converged[t] = 0;
                task.agreeing[t] = 0;
            }
            task.improved[t] = 0;
        });
    }

    /// Replaces the frame's solution by that of a job if it is the first or lower (optimize::replaces).
    template <class Team>
    RIGCAST_TEAM void keep(const Team& team, std::int64_t slot, std::int64_t t, int number) const {
        const double objective = jobs.objective[slot];
        const double before = task.frames.objective[t];
        const bool is_first = !task.is_offer() && number == 0;
        const bool is_merged = jobs.state[slot] == merged;
        const bool is_better = is_first || (!is_merged && optimize::replaces(objective, before));
        const bool agrees = is_merged || optimize::is_same_minimum(objective, before);
        team.each(model.num_variables, [&](int k) {
            if (is_better) task.weights[t * model.num_variables + k] = jobs.y[slot * model.num_variables + k];
            if (k != 0) return;
            task.frames.iterations[t] += jobs.steps[slot];
            if (!task.is_offer() && starts()[number].kind == StartKind::multistart) {
                task.agreeing[t] = agrees ? task.agreeing[t] + 1 : is_better ? 1 : task.agreeing[t];
            }
            if (!is_better) return;
            task.frames.objective[t] = objective;
            task.frames.converged[t] = jobs.state[slot] == converged ? 1 : 0;
            task.improved[t] = 1;
        });
    }

    template <class Team>
    RIGCAST_TEAM void begin_next(const Team& team, std::int64_t slot, std::int64_t t, int number) const {
        const int end = task.is_offer() ? 1 : starts().count();
        bool found = false;
        RIGCAST_ROLLED
        for (++number; number < end && !found; ++number) {
            const Start start = task.is_offer() ? Start{StartKind::given, 0} : starts()[number];
            const bool is_multistart = start.kind == StartKind::multistart;
            if (is_multistart && task.agreeing[t] >= inverse::agreeing_multistarts) continue;
            double mirrored = 0.0;
            if (!prepare(team, start, slot, t, mirrored)) continue;
            begin(team, start, slot, t, number, mirrored);
            found = true;
        }
        team.each(1, [&](int) {
            if (!found) jobs.state[slot] = idle;
        });
    }

    /// Sets the point of a job and all that goes with it.
    template <class Team>
    RIGCAST_TEAM void begin(const Team& team, const Start& start, std::int64_t slot, std::int64_t t, int number,
                            double mirrored) const {
        const DeviceTerms terms = task.frames.terms(model, t);
        double* y = jobs.y + slot * model.num_variables;
        const double* right = jobs.change + slot * model.num_variables;
        team.each(model.num_variables, [&](int k) {
            y[k] = optimize::clamped(start_value(start, t, k, terms, right, mirrored), terms.lower[k], terms.upper[k]);
        });
        team.each(model.num_columns, [&](int n) { jobs.phi[slot * model.num_columns + n] = model.activation(n, y); });
        team.each(model.num_variables, [&](int k) {
            jobs.x[slot * model.num_variables + k] = y[k];
            jobs.change[slot * model.num_variables + k] = 0.0;
            if (k != 0) return;
            jobs.state[slot] = first_state(start.kind);
            jobs.frame[slot] = static_cast<std::int32_t>(t);
            jobs.start[slot] = number;
            jobs.steps[slot] = 0;
            jobs.curvature[slot] = first_curvature;
            jobs.momentum[slot] = 1.0;
            jobs.slope[slot] = 0.0;
            jobs.length[slot] = 1.0;
        });
    }

    /// What a job begins with. A start beyond a knot is for the team solver, which stays on the piece that it starts
    /// from: gradient steps would lead back at once. The solution of the frame before is swept, as on the CPU; that of
    /// the frame after it is not: with one of each, frames miss the fewest minima.
    RIGCAST_DEVICE JobState first_state(StartKind kind) const {
        if (!in_lockstep || kind == StartKind::beyond_knot) return rest;
        return task.restarts && task.neighbor <= 0 ? cold : running;
    }

    /// Computes the values that start_value reads: the right-hand side of the linear start, into the job's change, and
    /// `mirrored`, the value of a variable beyond its knot. Returns false if the frame has no such start, or has been
    /// solved from it.
    template <class Team>
    RIGCAST_TEAM bool prepare(const Team& team, const Start& start, std::int64_t slot, std::int64_t t,
                              double& mirrored) const {
        const DeviceTerms terms = task.frames.terms(model, t);
        if (start.kind == StartKind::zero) return !given_is_zero(team, t, terms);
        if (start.kind == StartKind::linear) {
            double* right = jobs.change + slot * model.num_variables;
            team.each(model.num_variables, [&](int k) { right[k] = right_hand_side(terms, k); });
        }
        if (start.kind != StartKind::beyond_knot) return true;
        const int k = model.knot_variable[start.index];
        return inverse::mirror_at_knot(model.knots[start.index], terms.lower[k], terms.upper[k],
                                       task.weights[t * model.num_variables + k], mirrored);
    }

    /// Variable k of a start, before it is clipped to the box.
    RIGCAST_DEVICE double start_value(const Start& start, std::int64_t t, int k, const DeviceTerms& terms,
                                      const double* right, double mirrored) const {
        const double* found = task.weights + t * model.num_variables;
        switch (start.kind) {
            case StartKind::given:
                return task.given[(t + task.neighbor) * model.num_variables + k];
            case StartKind::zero:
                return 0.0;
            case StartKind::linear:
                return linear_value(right, k);
            case StartKind::multistart:
                return multistart_value(start.index, k, terms, found);
            case StartKind::beyond_knot:
                return k == model.knot_variable[start.index] ? mirrored : found[k];
        }
        return 0.0;
    }

    /// Variable k of a multistart: a fraction of its range, or its best value so far if the fraction is negative.
    RIGCAST_DEVICE double multistart_value(int multistart, int k, const DeviceTerms& terms, const double* found) const {
        const double fraction =
            model.multistart_fractions[static_cast<std::int64_t>(multistart) * model.num_variables + k];
        return fraction < 0.0 ? found[k] : terms.lower[k] + fraction * (terms.upper[k] - terms.lower[k]);
    }

    /// Variable k of the linear start: the solution of the rig's linear part, the columns that are single variables.
    RIGCAST_DEVICE double linear_value(const double* right, int k) const {
        double sum = 0.0;
        for (int j = 0; j < model.num_variables; ++j) {
            sum += model.linear_inverse[static_cast<std::int64_t>(j) * model.num_variables + k] * right[j];
        }
        return sum;
    }

    /// The right-hand side of the linear part's normal equations.
    RIGCAST_DEVICE double right_hand_side(const DeviceTerms& terms, int k) const {
        double sum = -0.5 * terms.linear[k];
        for (std::int32_t u = model.user_begin[k]; u < model.user_begin[k + 1]; ++u) {
            const int n = model.user_column[u];
            if (model.is_variable(n)) sum += terms.projection[n];
        }
        return sum;
    }

    /// Returns true if the given start is the point of the box nearest to zero.
    template <class Team>
    RIGCAST_TEAM bool given_is_zero(const Team& team, std::int64_t t, const DeviceTerms& terms) const {
        return team.largest(model.num_variables, [&](int k) {
            return fabs(task.given[t * model.num_variables + k] -
                        optimize::clamped(0.0, terms.lower[k], terms.upper[k]));
        }) == 0.0;
    }
};

}  // namespace rigcast::cuda
