#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/cuda/inverse/jobs.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::cuda {

/// A job whose point comes within this share of each weight's range of its frame's solution, with no knot between, and
/// is not lower, is given up: it has the same minimum. Chosen, not tuned: with 1e-3 frames take a third more steps, and
/// of 37,000 frames of random rigs none ended lower.
constexpr double merge_distance = 1e-2;

/// The step length is 1 / curvature times the diagonal scale. The curvature falls by this factor in each step, and
/// rises where the gradient changes faster: it follows the curvature of the free weights, which is below that of all.
constexpr double curvature_decay = 0.98;
constexpr double curvature_growth = 1.1;  // beyond what a step has seen

/// Team kernel: one step of accelerated projected gradient of each running job, from the residuals at its point y.
///
/// Method (Beck and Teboulle 2009; restart by the gradient: O'Donoghue and Candes 2015, section 3.2):
///   x' = P(y - (1 / L) D^-1 g(y)),   y' = P(x' + (t - 1) / t' (x' - x)),   t' = (1 + sqrt(1 + 4 t^2)) / 2,
/// with t = 1 again if (y - x')^T D (x' - x) > 0. D is the diagonal scale of the rig (InversePlan) plus that of the
/// frame's quadratic term. L is a job's own: g(y')^T dy - g(y)^T dy <= L dy^T D dy must hold, or L rises. P clips to
/// the box, and a step ends at a knot of a tent; from there the next one goes to the side of steeper descent. Ends. A
/// job has converged when the steepest descent along one weight at y is at most its frame's threshold; y is then its
/// solution. Rigs with knots leave the last word to the team solver, whose sweeps cross knots, and so do jobs that
/// crawl, that stand still short of the threshold, or that are not finite.
struct AcceleratedStep {
    static constexpr int threads = 64;
    static constexpr int blocks = 12;

    DeviceProductModel model;
    JobTask task;
    DeviceJobs jobs;
    const double* scale;         // (K) D of the rig
    const std::int32_t* active;  // (count) slots
    std::int64_t count;
    std::int64_t most_steps;   // of a job
    double* memory = nullptr;  // (teams, 3 K) if these numbers do not fit the shared memory

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        double* gradient = memory == nullptr ? team.shared() : memory + team.index() * 3 * model.num_variables;
        for (std::int64_t i = team.index(); i < count; i += team.count()) {
            const std::int64_t slot = active[i];
            if (jobs.state[slot] != running) continue;
            step(team, Job(*this, slot, gradient));
        }
    }

private:
    /// The rows of a slot.
    struct Job {
        RIGCAST_DEVICE Job(const AcceleratedStep& all, std::int64_t from, double* memory)
            : slot(from),
              frame(all.jobs.frame[from]),
              terms(all.task.frames.terms(all.model, frame)),
              y(all.jobs.y + from * all.model.num_variables),
              x(all.jobs.x + from * all.model.num_variables),
              change(all.jobs.change + from * all.model.num_variables),
              phi(all.jobs.phi + from * all.model.num_columns),
              residual(all.jobs.residual + from * all.model.num_columns),
              gradient(memory),
              side(memory + all.model.num_variables),
              next(memory + 2 * all.model.num_variables) {}

        std::int64_t slot;
        std::int64_t frame;
        DeviceTerms terms;
        double* y;
        double* x;
        double* change;
        double* phi;
        const double* residual;
        double* gradient;  // (K); 0 where no descent is possible
        double* side;      // (K) 1 or -1: where a weight may move, or 0
        double* next;      // (K) x'
    };

    template <class Team>
    RIGCAST_TEAM void step(const Team& team, const Job& job) const {
        team.each(model.num_variables, [&](int k) { find_gradient(job, k); });
        const double optimality = team.largest(model.num_variables, [&](int k) {
            const double descent = -job.side[k] * job.gradient[k];
            return descent == descent ? descent : HUGE_VAL;  // the maximum ignores NaN
        });
        // the objective, and the gradient times the last change
        const int columns = model.num_columns;
        const Sums<2> sums = team.template sum<2>(columns + model.num_variables, [&](int i, Sums<2>& total) {
            const int k = i - columns;
            if (k < 0) {
                total.value[0] += job.phi[i] * (job.residual[i] - job.terms.projection[i]);
            } else {
                total.value[0] += job.y[k] * (job.terms.linear[k] + job.terms.quadratic[k] * job.y[k]);
                total.value[1] += job.gradient[k] * job.change[k];
            }
        });
        const JobState state = state_of(team, job, optimality, sums.value[0]);
        team.each(1, [&](int) {
            jobs.objective[job.slot] = sums.value[0];
            jobs.state[job.slot] = state;
        });
        if (state != running) return;
        move(team, job, sums.value[1]);
    }

    /// The gradient of weight k to the side to which it may move.
    RIGCAST_DEVICE void find_gradient(const Job& job, int k) const {
        const double x = job.y[k];
        const double lower = job.terms.lower[k];
        const double upper = job.terms.upper[k];
        job.gradient[k] = 0.0;
        job.side[k] = 0.0;
        if (lower == upper && x == x) return;  // a NaN must reach the optimality
        bool at_knot = false;
        for (std::int32_t i = model.knot_begin[k]; i < model.knot_begin[k + 1]; ++i) {
            at_knot = at_knot || model.knots[i] == x;
        }
        const double right = slope(job, k, 1);
        const double left = at_knot ? slope(job, k, -1) : right;
        const optimize::Descents descent = optimize::descents(x, lower, upper, left, right);
        if (!optimize::is_smooth(x, lower, upper, left, right) && !descent.any()) return;
        job.side[k] = descent.side();
        job.gradient[k] = descent.side() > 0 ? right : left;
    }

    RIGCAST_DEVICE double slope(const Job& job, int k, int side) const {
        double sum = 0.0;
        for (std::int32_t u = model.user_begin[k]; u < model.user_begin[k + 1]; ++u) {
            const int n = model.user_column[u];
            sum += model.slope(n, k, job.y, side) * job.residual[n];
        }
        return 2.0 * (sum + job.terms.quadratic[k] * job.y[k]) + job.terms.linear[k];
    }

    template <class Team>
    RIGCAST_TEAM JobState state_of(const Team& team, const Job& job, double optimality, double objective) const {
        const bool has_knots = model.knot_begin[model.num_variables] > 0;
        if (optimality <= task.frames.thresholds[job.frame]) return has_knots ? rest : converged;
        if (jobs.steps[job.slot] >= most_steps || !(optimality < HUGE_VAL)) return rest;
        const bool has_solution = task.is_offer() || jobs.start[job.slot] > 0;
        if (!has_solution || objective < lowest_of(task.frames.objective[job.frame])) return running;
        const double* solution = task.weights + job.frame * model.num_variables;
        const double distance =
            team.largest(model.num_variables, [&](int k) { return separation(job, k, solution[k]); });
        return distance <= merge_distance ? merged : running;
    }

    /// Objectives from here on belong to the minimum `best` or are higher.
    RIGCAST_DEVICE static double lowest_of(double best) { return best - optimize::same_minimum * fabs(best); }

    /// The distance of weight k from another value, as a share of its range; infinite if a knot is between.
    RIGCAST_DEVICE double separation(const Job& job, int k, double other) const {
        const double low = job.y[k] < other ? job.y[k] : other;
        const double high = job.y[k] < other ? other : job.y[k];
        if (low == high) return 0.0;
        for (std::int32_t i = model.knot_begin[k]; i < model.knot_begin[k + 1]; ++i) {
            if (model.knots[i] > low && model.knots[i] < high) return HUGE_VAL;
        }
        const double share = (high - low) / (job.terms.upper[k] - job.terms.lower[k]);
        return share == share ? share : HUGE_VAL;
    }

    template <class Team>
    RIGCAST_TEAM void move(const Team& team, const Job& job, double slope_now) const {
        const double seen = (slope_now - jobs.slope[job.slot]) / jobs.length[job.slot];
        const double curvature =
            seen > jobs.curvature[job.slot] ? curvature_growth * seen : curvature_decay * jobs.curvature[job.slot];
        team.each(model.num_variables, [&](int k) { job.next[k] = after_gradient(job, k, curvature); });
        const double turn = team.template sum<1>(model.num_variables,
                                                 [&](int k, Sums<1>& total) {
                                                     total.value[0] += (job.y[k] - job.next[k]) *
                                                                       (job.next[k] - job.x[k]) * scale_of(job, k);
                                                 })
                                .value[0];
        const double before = jobs.momentum[job.slot];
        const double after = turn > 0.0 ? 1.0 : 0.5 * (1.0 + sqrt(1.0 + 4.0 * before * before));
        const double share = turn > 0.0 ? 0.0 : (before - 1.0) / after;
        team.each(model.num_variables, [&](int k) {
            const double y = optimize::clamped(job.next[k] + share * (job.next[k] - job.x[k]), job.terms.lower[k],
                                               job.terms.upper[k]);
            job.change[k] = y - job.y[k];
            job.y[k] = y;
            job.x[k] = job.next[k];
        });
        const Sums<2> last = team.template sum<2>(model.num_variables, [&](int k, Sums<2>& total) {
            total.value[0] += job.gradient[k] * job.change[k];
            total.value[1] += job.change[k] * job.change[k] * scale_of(job, k);
        });
        team.each(model.num_columns, [&](int n) {
            job.phi[n] = model.activation(n, job.y);
            if (n != 0) return;
            if (last.value[1] == 0.0) jobs.state[job.slot] = rest;  // nothing moves, and yet it has not converged
            jobs.curvature[job.slot] = curvature;
            jobs.momentum[job.slot] = after;
            jobs.slope[job.slot] = last.value[0];
            jobs.length[job.slot] = last.value[1];
            ++jobs.steps[job.slot];
        });
    }

    RIGCAST_DEVICE double scale_of(const Job& job, int k) const {
        const double both = scale[k] + 2.0 * job.terms.quadratic[k];
        return both > 0.0 ? both : 1.0;
    }

    /// Weight k after a step along the gradient, which ends at the next knot.
    RIGCAST_DEVICE double after_gradient(const Job& job, int k, double curvature) const {
        if (job.side[k] == 0.0) return job.y[k];
        const optimize::Piece piece =
            optimize::piece_beside(model.knots + model.knot_begin[k], model.knot_begin[k + 1] - model.knot_begin[k],
                                   job.y[k], job.side[k] > 0.0 ? 1 : -1, job.terms.lower[k], job.terms.upper[k]);
        return optimize::clamped(job.y[k] - job.gradient[k] / (curvature * scale_of(job, k)), piece.low, piece.high);
    }
};

}  // namespace rigcast::cuda
