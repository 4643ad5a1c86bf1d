#pragma once
#include "rigwright/linalg/gram_matrix.h"
#include "rigwright/optimize/products/product_model.h"
#include "rigwright/optimize/products/shot.h"

namespace rigwright::inverse {

/// Solves a shot frame by frame in Gram space: minimizes each frame's optimize::Terms inside its box. If `shot.bending`
/// is positive, a frame's objective also has bending_k (x_k - 2 x_k' + x_k'')^2 for the solutions x' and x'' of the two
/// frames before it; the frames after it do not count, so that this is an approximation of optimize::solve_coupled.
///
/// Starts. `result.weights` holds the caller's start (T, K) on entry. RestartSchedule decides which starts a frame is
/// solved from; the lowest objective wins. If a start other than the first one wins and there is no bending, the frames
/// before it are solved again from its solution, backwards as long as that lowers them.
/// Guarantee. Same bytes for any number of threads: runs of frames_per_run frames, or with bending the whole shot, are
/// solved one frame after another.
/// Failures. If a frame's start is NaN or its terms overflow, it keeps the last point with a finite objective, or else
/// its start, and does not converge. Shapes of the arrays are not checked.
void solve_frames(const optimize::ProductModel& products, const linalg::GramMatrix& gram, const optimize::Shot& shot,
                  const optimize::ShotOptions& options, const optimize::ShotResult& result);

}  // namespace rigwright::inverse
