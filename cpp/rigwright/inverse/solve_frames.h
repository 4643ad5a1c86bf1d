#pragma once
#include <cstdint>

#include "rigwright/linalg/gram_matrix.h"
#include "rigwright/optimize/products/product_model.h"
#include "rigwright/optimize/products/shot.h"

namespace rigwright::inverse {

/// Frames that are solved one after another; the next one starts anew. A shot cut at multiples of it gives, part by
/// part and from the same starts, what it gives as a whole.
constexpr std::int64_t frames_per_run = 256;

/// A weight this much of its range away from a knot may belong on the knot's other side.
constexpr double at_knot = 0.05;

/// Solves a shot frame by frame. A frame starts from the one before it; the first of 256 frames, one that differs
/// much from the one before, and every 32nd (up to every 128th, while that finds nothing better) start from the given
/// start, zero and the clipped linear solution as well, since corrections make several minima possible, and from all
/// over the box where only combinations move something (Multistart); a frame with weights near a knot is tried with
/// each of them on the other side, too. Where one of these wins, the frames before it are tried again from it,
/// backwards, as long as that helps. With `bending`, a frame's objective has bending_k (x_k - 2 x_k' + x_k'')^2 for the
/// solutions x', x'' of the two frames before it. A frame whose start is NaN or whose terms overflow keeps the last
/// point with a finite objective, or else its start, and does not converge. Same bytes for any number of threads.
void solve_frames(const optimize::ProductModel& products, const linalg::GramMatrix& gram, const optimize::Shot& shot,
                  const optimize::ShotOptions& options, const optimize::ShotResult& result);

}  // namespace rigwright::inverse
