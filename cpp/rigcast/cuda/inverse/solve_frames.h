#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/cuda/inverse/frame_solver.h"
#include "rigcast/cuda/inverse/starts.h"
#include "rigcast/inverse/frames/solve_frames.h"

namespace rigcast::cuda {

/// Team kernel: solves every frame from all Starts, in their order, and keeps the lowest objective. Multistarts end
/// once inverse::agreeing_multistarts of them have ended at the lowest objective. frames.iterations are summed over the
/// starts. Frames are independent, so that all of them can run at once; inverse::solve_frames instead starts a frame
/// from the solution of the frame before it.
struct SolveFrames {
    static constexpr int threads = threads_per_team;

    DeviceProductModel model;
    DeviceFrames frames;
    TeamMemory memory;
    const double* given;  // (T, K): the caller's start
    bool restarts;        // if false, a frame is solved from the given start alone
    double* weights;      // (T, K): the best solution so far

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        DeviceFrameSolver<Team> solver(team, model, memory);
        DeviceGramPoint<Team>& point = solver.point();
        const Starts starts{model.num_multistarts, model.knot_begin[model.num_variables], restarts};
        for (std::int64_t t = team.index(); t < frames.count; t += team.count()) {
            point.load(frames.terms(model, t));
            double best = 0.0;
            int agreeing = 0;  // multistarts that have ended at the lowest objective
            RIGCAST_ROLLED
            for (int number = 0; number < starts.count(); ++number) {
                const Start start = starts[number];
                const bool is_multistart = start.kind == StartKind::multistart;
                if (is_multistart && agreeing >= inverse::agreeing_multistarts) continue;
                double mirrored = 0.0;
                if (!prepare(start, t, point, mirrored)) continue;
                point.set([&](int k) { return start_value(start, t, k, point, mirrored); });
                const double before = best;
                const double objective = solve_from(solver, t, start.kind, best);
                if (!is_multistart) continue;
                agreeing = optimize::is_same_minimum(objective, before) ? agreeing + 1
                           : objective == best                          ? 1
                                                                        : agreeing;
            }
        }
    }

private:
    /// Computes the values that start_value reads: the right-hand side of the linear start, and `mirrored`, the value
    /// of a variable beyond its knot. Returns false if the frame has no such start, or has been solved from it.
    template <class Team>
    RIGCAST_TEAM bool prepare(const Start& start, std::int64_t t, const DeviceGramPoint<Team>& point,
                              double& mirrored) const {
        if (start.kind == StartKind::zero) return !given_is_zero(t, point);
        if (start.kind == StartKind::linear) prepare_linear(point);
        if (start.kind != StartKind::beyond_knot) return true;
        const int k = model.knot_variable[start.index];
        return inverse::mirror_at_knot(model.knots[start.index], point.terms().lower[k], point.terms().upper[k],
                                       weights[t * model.num_variables + k], mirrored);
    }

    /// Variable k of a start. DeviceGramPoint::set clips it to the box.
    template <class Team>
    RIGCAST_TEAM double start_value(const Start& start, std::int64_t t, int k, const DeviceGramPoint<Team>& point,
                                    double mirrored) const {
        const double* found = weights + t * model.num_variables;
        switch (start.kind) {
            case StartKind::given:
                return given[t * model.num_variables + k];
            case StartKind::zero:
                return 0.0;
            case StartKind::linear:
                return linear_value(point.scratch(), k);
            case StartKind::multistart:
                return multistart_value(start.index, k, point.terms(), found);
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
    /// `right` is the right-hand side that prepare_linear wrote.
    RIGCAST_DEVICE double linear_value(const double* right, int k) const {
        double sum = 0.0;
        for (int j = 0; j < model.num_variables; ++j) {
            sum += model.linear_inverse[static_cast<std::int64_t>(j) * model.num_variables + k] * right[j];
        }
        return sum;
    }

    /// Writes the right-hand side of the linear part's normal equations to point.scratch().
    template <class Team>
    RIGCAST_TEAM void prepare_linear(const DeviceGramPoint<Team>& point) const {
        double* right = point.scratch();
        const DeviceTerms& terms = point.terms();
        point.team().each(model.num_variables, [&](int k) {
            double sum = -0.5 * terms.linear[k];
            for (std::int32_t u = model.user_begin[k]; u < model.user_begin[k + 1]; ++u) {
                const int n = model.user_column[u];
                if (model.is_variable(n)) sum += terms.projection[n];
            }
            right[k] = sum;
        });
    }

    /// Returns true if the given start is the point of the box nearest to zero.
    template <class Team>
    RIGCAST_TEAM bool given_is_zero(std::int64_t t, const DeviceGramPoint<Team>& point) const {
        const DeviceTerms& terms = point.terms();
        return point.team().largest(model.num_variables, [&](int k) {
            return fabs(given[t * model.num_variables + k] - optimize::clamped(0.0, terms.lower[k], terms.upper[k]));
        }) == 0.0;
    }

    /// Solves the frame from the solver's point. Keeps the result and updates `best` if the start is the given one or
    /// if the result replaces `best` (optimize::replaces). Adds the iterations to the frame's. Returns the objective.
    template <class Team>
    RIGCAST_TEAM double solve_from(DeviceFrameSolver<Team>& solver, std::int64_t t, StartKind kind,
                                   double& best) const {
        const DeviceGramPoint<Team>& point = solver.point();
        const bool is_first = kind == StartKind::given;
        std::int32_t iterations = 0;
        bool converged = false;
        const double objective = solver.solve(frames, t, kind != StartKind::beyond_knot, iterations, converged);
        const bool is_better = is_first || optimize::replaces(objective, best);
        if (is_better) best = objective;
        point.team().each(model.num_variables, [&](int k) {
            if (is_better) weights[t * model.num_variables + k] = point.x()[k];
            if (k != 0) return;
            frames.iterations[t] = iterations + (is_first ? 0 : frames.iterations[t]);
            if (!is_better) return;
            frames.converged[t] = converged ? 1 : 0;
            frames.objective[t] = objective;
        });
        return objective;
    }
};

}  // namespace rigcast::cuda
