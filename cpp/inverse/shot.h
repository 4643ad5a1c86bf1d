#pragma once
#include <cstdint>
#include <functional>

#include "core/view.h"
#include "inverse/frame.h"
#include "inverse/gram_matrix.h"
#include "inverse/structure.h"

namespace rigwright::inverse {

/// A shot's terms in Gram space: T frames, K variables, N columns.
struct Shot {
    View<const double, 2> projections;   // (T, N)
    View<const double, 2> linear;        // (T, K)
    View<const double, 2> quadratic;     // (T, K), >= 0
    View<const double, 2> lower, upper;  // (T, K)
    View<const double, 1> bending;       // (K): weight of the second difference to the two frames before, 0 without

    /// Those of a frame, without bending.
    Terms terms(std::int64_t t) const {
        return {projections.row(t), linear.row(t), quadratic.row(t), lower.row(t), upper.row(t)};
    }
};

struct ShotOptions {
    View<const double, 1> thresholds;  // (T): optimality at which a frame is solved
    std::int64_t max_iterations = 200;
    int threads = 0;
    /// Called between the steps of a joint solve, on the calling thread, with the steps so far and the largest ratio of
    /// a frame's optimality to its threshold. What it throws ends the solve.
    std::function<void(std::int64_t iterations, double ratio)> report;
};

/// Frames that are solved one after another; the next one starts anew. A shot cut at multiples of it gives, part by
/// part and from the same starts, what it gives as a whole.
constexpr std::int64_t chunk = 256;

/// A weight this much of its range away from a knot may belong on the knot's other side.
constexpr double at_knot = 0.05;

struct ShotResult {
    View<double, 2> weights;           // (T, K): the start on entry, inside the box; the solution on return
    View<std::int64_t, 1> iterations;  // (T)
    View<bool, 1> converged;           // (T)
};

/// Solves a shot frame by frame. A frame starts from the one before it; the first of 256 frames, one that differs
/// much from the one before, and every 32nd (up to every 128th, while that finds nothing better) start from the given
/// start, zero and the clipped linear solution as well, since corrections make several minima possible, and from all
/// over the box where only combinations move something (BoxStarts); a frame with weights near a knot is tried with each
/// of them on the other side, too. Where one of these wins, the frames before it are tried again from it, backwards, as
/// long as that helps. With `bending`, a frame's objective has bending_k (x_k - 2 x_k' + x_k'')^2 for the solutions x',
/// x'' of the two frames before it. A frame whose start is NaN or whose terms overflow keeps the last point with a
/// finite objective, or else its start, and does not converge. Same bytes for any number of threads.
void solve_frames(const Structure& structure, const GramMatrix& gram, const Shot& shot, const ShotOptions& options,
                  const ShotResult& result);

}  // namespace rigwright::inverse
