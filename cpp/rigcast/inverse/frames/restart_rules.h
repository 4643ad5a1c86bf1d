#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/core/portable.h"

/// Rules of restarts that the CPU (solve_frames.h) and CUDA (cuda/inverse) share; which result wins says
/// optimize/products/step_rules.h.
namespace rigcast::inverse {

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

}  // namespace rigcast::inverse
