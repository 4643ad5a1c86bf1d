#pragma once
#include <cmath>
#include <cstdint>

#include "rigwright/cuda/inverse/newton.h"
#include "rigwright/inverse/multistart.h"
#include "rigwright/inverse/solve_frames.h"
#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::cuda {

/// T frames in device memory, what ends their search, and where they are.
struct InverseFrames {
    std::int64_t count;
    const double* projection;                          // (T, N)
    const double *linear, *quadratic, *lower, *upper;  // (T, K)
    const double* thresholds;                          // (T): optimality at which a frame is solved
    std::int64_t max_iterations;
    double* objective;                     // (T)
    std::int32_t *iterations, *converged;  // (T)

    RIGWRIGHT_DEVICE InverseTerms terms(const InverseRig& rig, std::int64_t t) const {
        const std::int64_t k = t * rig.num_variables;
        return {projection + t * rig.num_columns, linear + k, quadratic + k, lower + k, upper + k};
    }
};

/// Memory of a team: doubles that it shares, and doubles of its own in global memory, `far` a block.
struct InverseMemory {
    std::int64_t shared = 0, far = 0;
    bool near_is_shared = true;  // else it lies in global memory, too
    double* global = nullptr;
};

/// One frame at a time, by a team; what optimize::FrameSolver does.
template <class Team>
class InverseFrameSolver {
public:
    /// What a team needs; factorizations of the Hessian share what is left of `most_shared`.
    static InverseMemory memory(std::int64_t variables, std::int64_t columns, std::int64_t users,
                                std::int64_t most_shared) {
        const std::int64_t near =
            InversePoint<Team>::num_doubles(variables, columns) + InverseNewton<Team>::num_doubles(variables, users);
        const std::int64_t all = near + triangle(variables + 1), far = InverseNewton<Team>::num_far(variables);
        if (near > most_shared) return {0, far + near, false};
        return {all < most_shared ? all : most_shared, far, true};
    }

    RIGWRIGHT_TEAM InverseFrameSolver(const Team& team, const InverseRig& rig, const InverseMemory& memory)
        : InverseFrameSolver(team, rig, memory, memory.global + team.index() * memory.far) {}

    RIGWRIGHT_TEAM InversePoint<Team>& point() { return point_; }

    /// From the point set: Newton steps; where they stop, sweeps of exact minimization over one variable at a time. A
    /// cold start is far, so that sweeps come first; after a step across a knot they would lead back at once. Returns
    /// the objective. Each step has one place in the code: the compiler writes it out there.
    RIGWRIGHT_TEAM double solve(const InverseFrames& frames, std::int64_t t, bool cold, std::int32_t& iterations,
                                bool& converged) {
        const bool many_minima = point_.rig().knot_begin[point_.rig().num_variables] > 0;  // along a single variable
        const double threshold = frames.thresholds[t];
        int sweeps = cold ? optimize::cold_start_sweeps : 0;  // still to come first
        RIGWRIGHT_ROLLED
        for (iterations = 0;; ++iterations) {
            const bool first = sweeps > 0 && iterations < frames.max_iterations;
            double before = 0.0;
            if (!first) {
                converged = newton_.look() <= threshold;
                if (iterations >= frames.max_iterations || (converged && !many_minima)) break;
                if (!converged && newton_.take()) continue;
                before = point_.objective();
                point_.keep();
            }
            const bool moved = point_.sweep();
            sweeps = moved ? sweeps - 1 : 0;
            if (first) continue;
            if (!moved) break;
            if (converged && !optimize::sweep_gains(before, point_.objective(), threshold, point_.distance())) {
                point_.put_back();
                break;
            }
        }
        return point_.objective();
    }

private:
    RIGWRIGHT_TEAM InverseFrameSolver(const Team& team, const InverseRig& rig, const InverseMemory& memory, double* far)
        : near_{memory.near_is_shared ? team.shared() : far + InverseNewton<Team>::num_far(rig.num_variables)},
          point_(team, rig, near_),
          newton_(point_, near_, {far}, memory.near_is_shared ? team.shared() + memory.shared : near_.next) {}

    Arena near_;
    InversePoint<Team> point_;
    InverseNewton<Team> newton_;
};

constexpr int inverse_threads = 128;  // of a block

/// Every frame from its given start; where corrections make several minima possible, from zero and from the clipped
/// linear solution as well, then from all over the box (inverse::Multistart) until enough starts have ended at the
/// best, and then from what was found with one weight at a time on the other side of a knot that it is near to. Keeps
/// the best.
struct SolveFrames {
    static constexpr int threads = inverse_threads;

    InverseRig rig;
    InverseFrames frames;
    InverseMemory memory;
    const double* start;  // (T, K)
    bool restart;
    double* weights;  // (T, K)

    template <class Team>
    RIGWRIGHT_TEAM void operator()(const Team& team) const {
        InverseFrameSolver<Team> solver(team, rig, memory);
        InversePoint<Team>& point = solver.point();
        const int variables = rig.num_variables;
        for (std::int64_t t = team.index(); t < frames.count; t += team.count()) {
            point.load(frames.terms(rig, t));
            double best = 0.0;
            const int crossings = box + rig.num_box_starts,
                      starts = restart ? crossings + rig.knot_begin[variables] : 1;
            int crossing = 0;  // variable of the knot
            int agreed = 0;    // starts in the box that have ended at the best
            RIGWRIGHT_ROLLED
            for (int from = 0; from < starts; ++from) {
                const double *given = start + t * variables, *right = point.scratch(), *found = weights + t * variables;
                if (from == zero && starts_at_zero(point, given)) continue;
                if (from == linear) prepare_linear(point);
                const bool boxed = from >= box && from < crossings;
                if (boxed && agreed >= inverse::Multistart::enough) continue;
                const double* place =
                    boxed ? rig.box_places + static_cast<std::int64_t>(from - box) * variables : nullptr;
                double across = 0.0;
                if (from >= crossings) {
                    while (rig.knot_begin[crossing + 1] <= from - crossings) ++crossing;
                    const double low = point.terms().lower[crossing], high = point.terms().upper[crossing];
                    const double knot = rig.knots[from - crossings], reach = inverse::at_knot * (high - low);
                    if (knot <= low || knot >= high || fabs(found[crossing] - knot) > reach) continue;
                    across = found[crossing] == knot ? knot - reach : 2.0 * knot - found[crossing];
                }
                point.set([&](int k) {
                    if (from >= crossings) return k == crossing ? across : found[k];
                    if (boxed) return place[k] < 0.0 ? found[k] : in_box(point.terms(), place[k], k);
                    return from == 0 ? given[k] : from == linear ? linear_solution(right, k) : 0.0;
                });
                const double before = best, objective = solve_from(solver, t, from == 0, from < crossings, best);
                if (boxed)
                    agreed = optimize::is_same_minimum(objective, before) ? agreed + 1 : objective == best ? 1 : agreed;
            }
        }
    }

private:
    static constexpr int zero = 1, linear = 2, box = 3;  // the first is the given one

    template <class Team>
    RIGWRIGHT_TEAM bool starts_at_zero(const InversePoint<Team>& point, const double* given) const {
        const InverseTerms& terms = point.terms();
        return point.team().largest(rig.num_variables, [&](int k) {
            return fabs(given[k] - optimize::clamped(0.0, terms.lower[k], terms.upper[k]));
        }) == 0.0;
    }

    RIGWRIGHT_DEVICE static double in_box(const InverseTerms& terms, double place, int k) {
        return terms.lower[k] + place * (terms.upper[k] - terms.lower[k]);
    }

    template <class Team>
    RIGWRIGHT_TEAM double solve_from(InverseFrameSolver<Team>& solver, std::int64_t t, bool first, bool cold,
                                     double& best) const {
        const InversePoint<Team>& point = solver.point();
        std::int32_t iterations = 0;
        bool converged = false;
        const double objective = solver.solve(frames, t, cold, iterations, converged);
        const bool better = first || optimize::replaces(objective, best);
        if (better) best = objective;
        point.team().each(rig.num_variables, [&](int k) {
            if (better) weights[t * rig.num_variables + k] = point.x()[k];
            if (k != 0) return;
            frames.iterations[t] = iterations + (first ? 0 : frames.iterations[t]);
            if (!better) return;
            frames.converged[t] = converged ? 1 : 0;
            frames.objective[t] = objective;
        });
        return objective;
    }

    /// The right-hand side of the linear part's normal equations, into scratch().
    template <class Team>
    RIGWRIGHT_TEAM void prepare_linear(const InversePoint<Team>& point) const {
        double* right = point.scratch();
        const InverseTerms& terms = point.terms();
        point.team().each(rig.num_variables, [&](int k) {
            double sum = -0.5 * terms.linear[k];
            for (std::int32_t u = rig.user_begin[k]; u < rig.user_begin[k + 1]; ++u) {
                const int n = rig.user_column[u];
                const bool alone = rig.factor_begin[n + 1] - rig.factor_begin[n] == 1;
                if (alone && !rig.factor(n, k).is_tent) sum += terms.projection[n];
            }
            right[k] = sum;
        });
    }

    RIGWRIGHT_TEAM double linear_solution(const double* right, int k) const {
        double sum = 0.0;
        for (int j = 0; j < rig.num_variables; ++j) {
            sum += rig.linear_inverse[static_cast<std::int64_t>(j) * rig.num_variables + k] * right[j];
        }
        return sum;
    }
};

/// What a frame found is offered to the frame beside it, which goes on from there and keeps the result if it is better.
struct OfferFrames {
    static constexpr int threads = inverse_threads;
    static constexpr std::int64_t run_length = inverse::frames_per_run;  // frames of other runs have no part in it

    InverseRig rig;
    InverseFrames frames;
    InverseMemory memory;
    int from;                    // -1: the frame before offers, 1: the frame after
    const std::int32_t* offers;  // (T): whether a frame has something to offer
    const double* before;        // (T, K) weights
    double* weights;             // (T, K)
    std::int32_t* improved;      // (T)

    template <class Team>
    RIGWRIGHT_TEAM void operator()(const Team& team) const {
        InverseFrameSolver<Team> solver(team, rig, memory);
        InversePoint<Team>& point = solver.point();
        const int variables = rig.num_variables;
        for (std::int64_t t = team.index(); t < frames.count; t += team.count()) {
            const std::int64_t beside = t + from;
            const bool inside = beside >= 0 && beside < frames.count && beside / run_length == t / run_length;
            bool better = false;
            if (inside && offers[beside] != 0) {
                point.load(frames.terms(rig, t));
                point.set([&](int k) { return before[beside * variables + k]; });
                better = accept(solver, t);
            }
            team.each(variables, [&](int k) {
                weights[t * variables + k] = better ? point.x()[k] : before[t * variables + k];
                if (k == 0) improved[t] = better ? 1 : 0;
            });
        }
    }

private:
    template <class Team>
    RIGWRIGHT_TEAM bool accept(InverseFrameSolver<Team>& solver, std::int64_t t) const {
        std::int32_t iterations = 0;
        bool converged = false;
        const double best = frames.objective[t];
        const double objective = solver.solve(frames, t, false, iterations, converged);
        const bool better = optimize::replaces(objective, best);
        solver.point().team().each(1, [&](int) {
            frames.iterations[t] += iterations;
            if (!better) return;
            frames.converged[t] = converged ? 1 : 0;
            frames.objective[t] = objective;
        });
        return better;
    }
};

}  // namespace rigwright::cuda
