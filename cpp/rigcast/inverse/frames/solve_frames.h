#pragma once
#include "rigcast/linalg/gram_matrix.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::inverse {

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
