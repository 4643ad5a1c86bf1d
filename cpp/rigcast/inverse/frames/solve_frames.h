#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/core/portable.h"
#include "rigcast/core/view.h"
#include "rigcast/linalg/gram_matrix.h"
#include "rigcast/optimize/products/gram_point.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::inverse {

// Rules of restarts that the CPU and CUDA (cuda/inverse) share; which result wins says optimize/products/step_rules.h.

/// Frames of a run. Runs do not exchange solutions, so that they are independent work for threads, and a shot that is
/// cut at multiples of this length gives, part by part and from the same starts, the bytes that it gives as a whole.
constexpr std::int64_t frames_per_run = 256;

/// A search from Multistart's starts ends when this many of them have ended at the lowest objective: more solves, fewer
/// missed minima. Chosen, not tuned.
constexpr int agreeing_multistarts = 4;

/// Share of a weight's range: a solution's weight that is no farther than this from the knot of an in-between is also
/// tried on the other side of the knot, since the objective may have a minimum on either side. Farther tries cost a
/// solve each and rarely win. Chosen, not tuned.
constexpr double knot_reach = 0.05;

/// Finds where a weight x in [lower, upper] is tried beyond a knot: mirrored at the knot, or `knot_reach` below it if x
/// is on the knot. Returns false if the knot is not inside the box or x is not near it.
RIGCAST_DEVICE inline bool mirror_at_knot(double knot, double lower, double upper, double x, double& mirrored) {
    const double reach = knot_reach * (upper - lower);
    mirrored = x == knot ? knot - reach : 2.0 * knot - x;
    return knot > lower && knot < upper && std::fabs(x - knot) <= reach;
}

/// Of the mean diagonal entry of the normal equations: keeps the start bounded if shapes are nearly dependent. A larger
/// ridge pulls the start to zero. Chosen, not tuned: it is a start only.
constexpr double linear_start_ridge = 1e-4;

/// The normal equations of a rig's linear part, the columns that are a variable alone, with a ridge. Their solution,
/// clipped to the box, is a start for a frame. Factorized once; const calls may run from several threads at once.
class LinearStart {
public:
    LinearStart(const optimize::ProductModel& products, const linalg::GramMatrix& gram);

    /// Writes the start to x, which gets room for whole vectors after its K variables. Returns false if the
    /// factorization failed: there is no such start then.
    bool solve(const optimize::Terms& terms, std::vector<double>& x) const;

private:
    template <class F>
    void for_linear_columns(F&& visit) const;

    const optimize::ProductModel& products_;
    std::int64_t num_variables_;
    std::int64_t stride_;
    std::vector<double> factor_;  // (K, stride)
    std::vector<double> inverse_diagonal_;
    bool is_factorized_ = false;
};

/// Starts for variables that move vertices only in combinations: at zero their slopes vanish whatever the target, and
/// the linear solution does not contain them. MakeHuman's macro rig has only such variables.
///
/// Method: the first start is the middle of these variables' box, the others are spread evenly over it by Roberts'
/// additive recurrence (2018, "The unreasonable effectiveness of quasirandom sequences"). Other variables keep their
/// values. Rigs without such variables have no such starts.
class Multistart {
public:
    /// A column moves a vertex if its diagonal entry of the Gram matrix `gram` (N, N or more) is not 0.
    Multistart(const optimize::ProductModel& products, View<const double, 2> gram);

    /// Number of starts: 0 or max_starts.
    std::int64_t count() const { return num_starts_; }
    /// (K): the start's variables as fractions of their ranges, between 0 and 1; negative for variables that keep their
    /// values.
    const double* fractions(std::int64_t start) const { return fractions_.data() + start * num_variables_; }
    /// (count, K)
    const std::vector<double>& fractions() const { return fractions_; }

    /// More starts find more minima and cost a solve each; see also agreeing_multistarts. Chosen, not tuned.
    static constexpr std::int64_t max_starts = 16;

private:
    std::int64_t num_variables_;
    std::int64_t num_starts_ = 0;
    std::vector<double> fractions_;
};

/// Which starts can find another minimum in a rig.
struct RestartKinds {
    bool can_restart = false;      // there are combinations, hence several minima
    bool can_cross_knots = false;  // there are in-betweens
    bool can_multistart = false;   // some variables move vertices only in combinations (see Multistart)
};

/// Decides which starts each frame of a run is solved from, and when the next restart is due. A run is a range of
/// frames that are solved one after another (see solve_frames).
///
/// First start. A frame starts from the solution of the frame before it. It starts from the caller's weights if it is
/// the first of the run, if its targets jump, or if the frame before has no finite solution.
///
/// Knots. If a weight of a frame's solution is near a knot of an in-between, the frame is also solved from that
/// solution with the weight on the other side of the knot. This is done in every frame of a rig with in-betweens.
///
/// Restarts. A frame is also solved from zero, from the clipped linear solution and from Multistart's starts
///   - if it started from the caller's weights,
///   - if its solution is far from that of the frame before it and the rig has variables for Multistart,
///   - if the period since the last restart is over. The period is 32 frames at first. It doubles, up to 128, after a
///     restart that finds nothing lower, and is 32 again after a restart that does.
/// Rigs without combinations have one minimum and never restart.
///
/// Use per frame, in order: begin_frame, try_others, and end_restart if try_others asks for a restart.
class RestartSchedule {
public:
    explicit RestartSchedule(const RestartKinds& kinds) : kinds_(kinds) {}

    /// Begins the next frame. `targets_jump`: its targets differ much from those of the frame before it (see the
    /// function targets_jump). `follows_solution`: the frame before it has a finite solution. Neither is used for the
    /// first frame. Returns true if the frame starts from the caller's weights.
    bool begin_frame(bool targets_jump, bool follows_solution);

    /// The starts that are tried after a frame's first one.
    struct Others {
        bool beyond_knots = false;  // see Knots
        bool restart = false;       // see Restarts
    };
    /// `is_far_step`: the solution is far from that of the frame before it. Not used for frames that started from the
    /// caller's weights.
    Others try_others(bool is_far_step) const;

    /// Reports the end of a frame's restart. `found_lower`: a start other than the first one, those beyond knots
    /// included, gave a lower objective.
    void end_restart(bool found_lower);

private:
    RestartKinds kinds_;
    std::int64_t frame_ = -1;
    std::int64_t next_restart_ = 0;
    std::int64_t period_ = 0;
    bool starts_anew_ = true;
};

/// Returns true if the projections (N) of a frame's targets and `projections_before` (N), those of the frame before it,
/// differ in norm by more than 0.3 of the norm of `projections`.
bool targets_jump(std::span<const double> projections, std::span<const double> projections_before);

/// Returns true if a weight of a frame (K) and of the frame before it differ by more than 0.1 of the weight's range.
bool is_far_step(std::span<const double> weights, std::span<const double> weights_before, std::span<const double> lower,
                 std::span<const double> upper);

/// Solves a shot frame by frame in Gram space: minimizes each frame's optimize::Terms inside its box.
///
/// Bending. For each variable k with shot.bending_k > 0, a frame's objective also has the term
/// bending_k (x_k - 2 x_k' + x_k'')^2, with the solutions x' and x'' of the two frames before it. The frames after it
/// are ignored, so that this only approximates optimize::solve_coupled.
/// Runs. The frames of a run are solved one after another. A run has frames_per_run frames, or the whole shot if a
/// variable has bending. Runs are solved in parallel and do not exchange solutions.
/// Starts. `result.weights` holds the caller's start (T, K) on entry. RestartSchedule decides which starts a frame is
/// solved from. The lowest objective wins; among equal ones (optimize::is_same_minimum) the first, or the first that
/// converges. If a start other than the first one wins and no variable has bending, the frames before it in the run are
/// solved again, each from the solution of the frame after it, until one does not improve.
/// Guarantee. Same bytes for any number of threads.
/// Failures. If a frame's start is NaN or its terms overflow, it keeps the last point with a finite objective, or else
/// its start, and does not converge. Shapes of the arrays are not checked.
void solve_frames(const optimize::ProductModel& products, const linalg::GramMatrix& gram, const optimize::Shot& shot,
                  const optimize::ShotOptions& options, const optimize::ShotResult& result);

}  // namespace rigcast::inverse
