#pragma once
#include <cstdint>

#include "rigcast/cuda/inverse/newton_step.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::cuda {

/// T frames in device memory: their terms, when they stop, and how they ended.
struct DeviceFrames {
    std::int64_t count;
    const double* projection;  // (T, N)
    const double* linear;      // (T, K), as those below
    const double* quadratic;
    const double* lower;
    const double* upper;
    std::int64_t linear_step;  // from a frame's row to the next: K, or 0 if all frames have one row
    std::int64_t quadratic_step;
    std::int64_t lower_step;
    std::int64_t upper_step;
    const double* thresholds;  // (T): optimality at which a frame has converged
    std::int64_t max_iterations;
    double* objective;         // (T)
    std::int32_t* iterations;  // (T)
    std::int32_t* converged;   // (T): 1 or 0

    RIGCAST_DEVICE DeviceTerms terms(const DeviceProductModel& model, std::int64_t t) const {
        return {projection + t * model.num_columns, linear + t * linear_step, quadratic + t * quadratic_step,
                lower + t * lower_step, upper + t * upper_step};
    }
};

/// Working memory of a team, in doubles. Vectors lie in shared memory, and so do small factorizations, if they fit.
struct TeamMemory {
    std::int64_t shared = 0;  // per team
    std::int64_t global_per_team = 0;
    bool vectors_are_shared = true;  // otherwise they lie behind the matrices in global memory
    double* global = nullptr;
};

/// Threads of a block. Chosen, not tuned.
constexpr int threads_per_team = 128;

/// Solves one frame at a time, by a team: the device's optimize::FrameSolver.
template <class Team>
class DeviceFrameSolver {
public:
    /// The memory that a team needs for a rig whose columns have `users` drivers in all, with at most `most_shared`
    /// doubles of shared memory.
    static TeamMemory memory(const DeviceProductModel& model, std::int64_t users, std::int64_t most_shared) {
        using Point = DeviceGramPoint<Team>;
        const std::int64_t variables = model.num_variables;
        const std::int64_t vectors =
            Point::num_near(model) + Point::num_far(model) + DeviceNewtonStep<Team>::num_doubles(variables, users);
        const std::int64_t matrices = DeviceNewtonStep<Team>::num_matrix_doubles(variables);
        if (vectors > most_shared) return {0, matrices + vectors, false};
        const std::int64_t with_factorization = vectors + triangle(variables + 1);
        return {with_factorization < most_shared ? with_factorization : most_shared, matrices, true};
    }

    RIGCAST_TEAM DeviceFrameSolver(const Team& team, const DeviceProductModel& model, const TeamMemory& memory)
        : DeviceFrameSolver(team, model, memory, memory.global + team.index() * memory.global_per_team) {}

    RIGCAST_TEAM DeviceGramPoint<Team>& point() { return point_; }

    /// Minimizes frame t from the solver's point. Returns the objective; writes the number of steps, and whether the
    /// frame's threshold was reached.
    ///
    /// Method. Newton steps over the free variables; if they do not help, sweeps of exact minimization over one
    /// variable at a time. If `is_cold`, sweeps come first. They must not if the start is a solution with a variable
    /// beyond a knot: they would lead back at once.
    /// nvcc writes out each team function where it is called: each step is called from one place.
    RIGCAST_TEAM double solve(const DeviceFrames& frames, std::int64_t t, bool is_cold, std::int32_t& iterations,
                              bool& converged) {
        const DeviceProductModel& model = point_.model();
        const bool has_knots = model.knot_begin[model.num_variables] > 0;
        const double threshold = frames.thresholds[t];
        int first_sweeps = is_cold ? optimize::cold_start_sweeps : 0;  // still to come
        RIGCAST_ROLLED
        for (iterations = 0;; ++iterations) {
            const bool is_first_sweep = first_sweeps > 0 && iterations < frames.max_iterations;
            double before = 0.0;
            if (!is_first_sweep) {
                converged = newton_.linearize() <= threshold;
                if (iterations >= frames.max_iterations || (converged && !has_knots)) break;
                if (!converged && newton_.step()) continue;
                before = point_.objective();
                point_.save();
            }
            const bool moved = point_.sweep();
            first_sweeps = moved ? first_sweeps - 1 : 0;
            if (is_first_sweep) continue;
            if (!moved) break;
            if (converged && !optimize::sweep_gains(before, point_.objective(), threshold, point_.distance())) {
                point_.restore();
                break;
            }
        }
        return point_.objective();
    }

private:
    RIGCAST_TEAM DeviceFrameSolver(const Team& team, const DeviceProductModel& model, const TeamMemory& memory,
                                   double* global)
        : vectors_{memory.vectors_are_shared
                       ? team.shared()
                       : global + DeviceNewtonStep<Team>::num_matrix_doubles(model.num_variables)},
          point_(team, model, vectors_, vectors_),
          newton_(point_, vectors_, {global},
                  memory.vectors_are_shared ? team.shared() + memory.shared : vectors_.next) {}

    Arena vectors_;
    DeviceGramPoint<Team> point_;
    DeviceNewtonStep<Team> newton_;
};

}  // namespace rigcast::cuda
