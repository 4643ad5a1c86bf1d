#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/inverse/rig_gram.h"
#include "rigwright/inverse/solve_frames.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::inverse {

/// A shot whose weights are sought, checked: T frames, K shapes, of which tied ones share a variable. Minimizes, inside
/// the box of each variable, the sum over frames of
///   |Phi phi(w_t) - b_t|^2_Omega + alpha sum_k w_tk + sum_k s_tk (w_tk - c_tk)^2
/// plus smoothness |w_{t-1} - 2 w_t + w_{t+1}|^2 over the inner frames.
struct WeightProblem {
    optimize::Shot shot;                                 // terms of the variables, `bending` not used
    View<const double, 2> prior_target, prior_strength;  // (T, K): c and s of the shapes
    View<const std::int32_t, 1> ties;                    // (K): the shape whose weight shape k copies, or k
    double alpha = 0.0;
    double smoothness = 0.0;
};

struct DescentOptions {
    double tolerance = 1e-9;          // a frame is solved if its optimality is at most this times its pull
    double sharpness = 1.0;           // factor of the tolerance for nearly dependent shapes; see descent_sharpness
    std::int64_t max_iterations = 0;  // of a frame; 0: 200, or 2,000 if sharpness is below 1
    bool joint = true;                // the temporal term couples all frames, instead of each to the two before it
    int threads = 0;                  // 0: all processors
    /// Called on the calling thread after every 1,024 frames with the frames solved so far; what it throws ends the
    /// solve.
    std::function<void(std::int64_t frames)> solved;
    /// See ShotOptions::report.
    std::function<void(std::int64_t iterations, double ratio)> report;
};

/// (T): the largest pull of a frame's target on a column of the rig, in the unit of gradients: what the tolerance is
/// relative to. Targets that pull less than a millionth of what the largest column does on itself count as the neutral.
std::vector<double> target_pull(const RigGram& gram, const WeightProblem& problem);

/// What the tolerance is multiplied by if shapes are nearly made up of others (RigGram::least_independence below
/// 1e-3): along what tells such shapes apart the objective bends by the square of their independent part only, so that
/// a gradient within the tolerance may hide a wrong weight.
double descent_sharpness(double least_independence);

/// Weights of a shot by exact descent in Gram space: solve_frames without the temporal term, then, with it,
/// optimize::solve_coupled (or solve_frames given the two frames before). Shapes with equal columns share their common
/// weight so that the first gets as much of it as fits. `result.weights` holds the start on entry, inside the box. Same
/// bytes for any number of threads.
void descend(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
             const DescentOptions& options, const optimize::ShotResult& result);

}  // namespace rigwright::inverse
