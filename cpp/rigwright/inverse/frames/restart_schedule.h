#pragma once
#include <cstdint>
#include <span>

namespace rigwright::inverse {

/// What a rig lets restarts find.
struct RestartKinds {
    bool can_restart = false;      // there are combinations, hence several minima
    bool can_cross_knots = false;  // there are in-betweens
    bool can_multistart = false;   // some variables move vertices only in combinations: see Multistart
};

/// Decides which starts each frame of a run is solved from, and when the next restart is due.
///
/// First start. A frame starts from the solution of the frame before it. It starts from the caller's weights if it is
/// the first of the run, if its targets jump, or if the frame before has no finite solution.
///
/// Knots. The solution is tried beyond the knots of in-betweens that it is near, in every frame.
///
/// Restarts. A frame is also solved from zero, from the clipped linear solution and from Multistart's starts
///   - if it started from the caller's weights,
///   - if its solution is far from that of the frame before it and the rig has variables for Multistart,
///   - if the period since the last restart is over: 32 frames, twice as many after each restart that finds nothing
///     lower, up to 128; 32 again after one that does.
/// Rigs without combinations have one minimum and never restart.
///
/// Use per frame, in order: begin_frame, try_others, and end_restart if try_others asks for a restart.
class RestartSchedule {
public:
    explicit RestartSchedule(const RestartKinds& kinds) : kinds_(kinds) {}

    /// Begins the next frame. `targets_jump` and `follows_solution` compare it with the frame before it; they are not
    /// used for the first frame. Returns true if the frame starts from the caller's weights.
    bool begin_frame(bool targets_jump, bool follows_solution);

    /// What is tried after a frame's first start.
    struct Others {
        bool beyond_knots = false;
        bool restart = false;
    };
    /// `is_far_step`: the solution is far from that of the frame before it. Not used for frames that started from the
    /// caller's weights.
    Others try_others(bool is_far_step) const;

    /// Reports the end of a frame's restart: true if a start other than the first one gave a lower objective.
    void end_restart(bool found_lower);

private:
    RestartKinds kinds_;
    std::int64_t frame_ = -1;
    std::int64_t next_restart_ = 0;
    std::int64_t period_ = 0;
    bool starts_anew_ = true;
};

/// Returns true if the projections (N) of two frames' targets differ by more than 0.3 of the later ones' norm.
bool targets_jump(std::span<const double> projections, std::span<const double> projections_before);

/// Returns true if one of the weights (K) of two frames differs by more than 0.1 of its range.
bool is_far_step(std::span<const double> weights, std::span<const double> weights_before, std::span<const double> lower,
                 std::span<const double> upper);

}  // namespace rigwright::inverse
