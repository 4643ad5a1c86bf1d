#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/linalg/active_set_cholesky.h"

/// The rules of a frame's solve that the CPU (FrameSolver, NewtonStep, GramPoint) and CUDA (cuda/inverse) share: which
/// variables a step may move and how far, the line search, the ridge of a singular Hessian, and when to stop.
namespace rigcast::optimize {

// ---- Which variables a step may move, and how far

/// x limited to [low, high], as std::clamp: NaN stays NaN.
RIGCAST_DEVICE inline double clamped(double x, double low, double high) {
    return x < low ? low : high < x ? high : x;
}

/// How steeply the objective descends if one variable alone goes up or down: 0 at the bound on that side, negative if
/// the objective rises, NaN after an overflow.
struct Descents {
    double up;
    double down;

    /// Returns true if the objective descends to one side, or is NaN.
    RIGCAST_DEVICE bool any() const { return !(up <= 0.0 && down <= 0.0); }
    /// The steeper side: 1 for up, -1 for down.
    RIGCAST_DEVICE int side() const { return up >= down ? 1 : -1; }
};

/// The descents at x, given the objective's one-sided slopes there.
RIGCAST_DEVICE inline Descents descents(double x, double lower, double upper, double left, double right) {
    return {!(x >= upper) ? -right : 0.0, !(x <= lower) ? left : 0.0};
}

/// Returns true if the objective is smooth in a variable at x: strictly inside its box, with equal one-sided slopes.
RIGCAST_DEVICE inline bool is_smooth(double x, double lower, double upper, double left, double right) {
    return x > lower && x < upper && left == right;
}

/// A piece of a variable's range without a knot (a value at which the slope of some activation jumps) strictly inside.
struct Piece {
    double low;
    double high;
};

/// The piece on one side of x (side 1: above, -1: below) inside [lower, upper], for a variable with ascending `knots`.
RIGCAST_DEVICE inline Piece piece_beside(const double* knots, std::int64_t num_knots, double x, int side, double lower,
                                         double upper) {
    Piece piece{lower, upper};
    for (std::int64_t i = 0; i < num_knots; ++i) {
        const double knot = knots[i];
        if (knot < x || (knot == x && side > 0)) {
            if (knot > piece.low) piece.low = knot;
        } else {
            if (knot < piece.high) piece.high = knot;
            break;
        }
    }
    return piece;
}

/// A variable's step from x, cut off where it would leave [low, high]. If the result is shorter than `step`, the
/// variable ends at a bound: it is fixed there while the steps of the other variables are solved for again.
RIGCAST_DEVICE inline double step_within(double step, double x, double low, double high) {
    return clamped(step, low - x, high - x);
}

/// The value of a variable after `length` (0 < length <= 1) of its step from x. A variable that is fixed at a bound
/// (see step_within) lands exactly there after a full step, not only up to rounding: x + (low - x) may differ from low,
/// and a variable beside its bound would be free in the next step.
RIGCAST_DEVICE inline double after_step(double x, double step, double length, bool is_fixed, double low, double high) {
    if (is_fixed && length == 1.0 && step != 0.0) return step < 0.0 ? low : high;
    return clamped(x + length * step, low, high);
}

// ---- Line search: full step first, then halved until the objective falls enough

constexpr double step_shrinkage = 0.5;
/// Shorter steps, as a share of the full step, are not tried. Ten lengths are tried: 1, 1/2, ... 1/512. Not sensitive
/// in single frames: 1e-2 and 1e-5 take as many steps within 2 %.
constexpr double shortest_step = 1e-3;
/// A step must lower the objective by at least this share of the decrease that the slope predicts (Armijo's condition;
/// the customary value, see Nocedal and Wright 2006, section 3.1).
constexpr double sufficient_decrease = 1e-4;

/// Returns true if the objective falls enough for a step of length `length` (a share of the full step). `change` is the
/// change of the objective, `slope` (< 0) its slope along the full step.
RIGCAST_DEVICE inline bool decreases_enough(double change, double length, double slope) {
    return change <= sufficient_decrease * length * slope;
}

// ---- Ridge: H + ridge * (largest diagonal entry) * I is tried for rising ridges until it is positive definite

/// A pivot below this share of its diagonal entry is rounding: the matrix counts as singular.
constexpr double smallest_pivot = linalg::ActiveSetCholesky::smallest_pivot;
/// Ridges are tried from small to large, since a larger one shortens the step along nearly dependent columns. The first
/// is just beyond rounding, each is 100 times the one before, and there are five. If none works there is no step, and
/// the caller sweeps. Chosen, not tuned: a ridge decides how a solution is found, not which one.
constexpr double first_ridge = 1e-12;
constexpr double ridge_growth = 100.0;
constexpr double largest_ridge = 1e-4;

/// The ridge to try after `ridge`. The first one is 0: `for (double r = 0.0; r <= largest_ridge; r = next_ridge(r))`.
RIGCAST_DEVICE inline double next_ridge(double ridge) {
    return ridge == 0.0 ? first_ridge : ridge_growth * ridge;
}

// ---- When to stop, and which result to keep

/// Sweeps of exact steps in single variables before the first Newton step of a cold start. A sweep may cross knots, a
/// Newton step stays on the pieces that it starts from. Without sweeps a frame of the ICT face takes up to 57 steps
/// instead of 17; with four sweeps, a shot takes up to 16 % more steps in all.
constexpr int cold_start_sweeps = 2;

/// The larger of two descents; NaN if either is, so that a point that overflowed never counts as optimal.
RIGCAST_DEVICE inline double steeper(double a, double b) {
    return a >= b || a != a ? a : b;
}

/// Changes of an objective by less than this share of it are rounding.
constexpr double objective_rounding = 1e-12;

/// Returns true if the sweep of a converged frame found a better minimum. `before` and `after` are the objective's
/// values, `distance` is sum_k |dx_k| of the sweep, and `threshold` is the frame's, which its optimality did not
/// exceed. On the pieces where the frame converged, the objective could fall by at most threshold * distance: if it
/// fell by more, the sweep reached a lower piece. If not, the caller undoes the sweep, which would only worsen the
/// optimality.
RIGCAST_DEVICE inline bool sweep_gains(double before, double after, double threshold, double distance) {
    return after < before - (objective_rounding * std::fabs(before) + threshold * distance);
}

/// Objectives that differ by at most this share belong to one minimum: two solves of one frame end within their
/// thresholds of it, not at the same bits. Chosen, not tuned.
constexpr double same_minimum = 1e-10;

/// Returns true if a result belongs to the minimum `best`.
RIGCAST_DEVICE inline bool is_same_minimum(double objective, double best) {
    return std::fabs(objective - best) <= same_minimum * std::fabs(best);
}

/// Returns true if a result is lower than the minimum `best` or belongs to it.
RIGCAST_DEVICE inline bool is_as_low(double objective, double best) {
    return objective <= best + same_minimum * std::fabs(best);
}

/// Returns true if a result replaces an earlier one, whose objective is `best`: it is lower and belongs to another
/// minimum, or the earlier one overflowed (NaN) and it did not.
RIGCAST_DEVICE inline bool replaces(double objective, double best) {
    return objective < best - same_minimum * std::fabs(best) || (objective == objective && best != best);
}

}  // namespace rigcast::optimize
