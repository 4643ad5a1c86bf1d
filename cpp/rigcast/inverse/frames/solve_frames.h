#pragma once
#include <cstdint>
#include <span>

#include "rigcast/linalg/gram_matrix.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::inverse {

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
