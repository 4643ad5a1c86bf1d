#include "rigcast/inverse/frames/restart_schedule.h"

#include <algorithm>
#include <cmath>

namespace rigcast::inverse {
namespace {

// Restarts cost several solves of a frame: rarer ones are faster, and later to leave a minimum that has become bad.
// Chosen, not tuned.
constexpr std::int64_t shortest_period = 32;  // frames
constexpr std::int64_t longest_period = 128;  // frames

// Smaller ratios restart more often. Chosen, not tuned: successive frames of motion differ by a few percent.
constexpr double jump_ratio = 0.3;      // of the norm of a frame's projections
constexpr double far_step_ratio = 0.1;  // of a weight's range

}  // namespace

bool RestartSchedule::begin_frame(bool targets_jump, bool follows_solution) {
    ++frame_;
    starts_anew_ = frame_ == 0 || targets_jump || !follows_solution;
    return starts_anew_;
}

RestartSchedule::Others RestartSchedule::try_others(bool is_far_step) const {
    const bool is_far = kinds_.can_multistart && !starts_anew_ && is_far_step;
    const bool is_due = frame_ == next_restart_;
    return {kinds_.can_cross_knots, kinds_.can_restart && (starts_anew_ || is_far || is_due)};
}

void RestartSchedule::end_restart(bool found_lower) {
    period_ = found_lower || frame_ == 0 ? shortest_period : std::min(2 * period_, longest_period);
    next_restart_ = frame_ + period_;
}

bool targets_jump(std::span<const double> projections, std::span<const double> projections_before) {
    double change = 0.0;
    double size = 0.0;
    for (std::size_t n = 0; n < projections.size(); ++n) {
        const double difference = projections[n] - projections_before[n];
        change += difference * difference;
        size += projections[n] * projections[n];
    }
    return change > jump_ratio * jump_ratio * size;
}

bool is_far_step(std::span<const double> weights, std::span<const double> weights_before, std::span<const double> lower,
                 std::span<const double> upper) {
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (std::abs(weights[k] - weights_before[k]) > far_step_ratio * (upper[k] - lower[k])) return true;
    }
    return false;
}

}  // namespace rigcast::inverse
