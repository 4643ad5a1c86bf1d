#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/rig_gram.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::inverse {

/// The problem of a shot's weights w, T frames of K shapes: minimize, inside a box, the sum over frames t of
///   |Phi phi(w_t) - b_t|^2_Omega + alpha sum_k w_tk + sum_k s_tk (w_tk - c_tk)^2
/// plus smoothness |w_{t-1} - 2 w_t + w_{t+1}|^2 over the inner frames. phi are the activations of the rig's columns
/// Phi, b_t the targets minus the neutral. Tied shapes share one variable, which is that of the first of them.
struct WeightProblem {
    optimize::Shot shot;                   // terms of the variables; `bending` is not used
    View<const double, 2> prior_target;    // (T, K): c of the shapes
    View<const double, 2> prior_strength;  // (T, K): s of the shapes, >= 0
    View<const std::int32_t, 1> ties;      // (K): the shape whose variable shape k has, k itself if it is not tied
    double alpha = 0.0;
    double smoothness = 0.0;
};

struct DescentOptions {
    /// A frame has converged if its optimality is at most this times its target_pull.
    double tolerance = 1e-9;
    /// Multiplies the tolerance; see descent_sharpness.
    double sharpness = 1.0;
    /// Per frame; 0: 200, or 2,000 if sharpness is below 1.
    std::int64_t max_iterations = 0;
    /// With smoothness: true solves all frames together, exactly; false solves each frame given the two before it.
    bool coupled = true;
    /// 0: all processors.
    int threads = 0;
    /// Called on the calling thread after every 1,024 frames with the number of frames solved so far. An exception
    /// from it ends the solve.
    std::function<void(std::int64_t frames)> solved;
    /// See optimize::ShotOptions::report.
    std::function<void(std::int64_t iterations, double ratio)> report;
};

/// (T): the scale of each frame's gradient, which the tolerance is relative to,
///   2 max_n |(Phi^T Omega b_t)_n| + alpha + 2 max_k s_tk |c_tk|:
/// no entry of the gradient at zero weights is larger. At least 1e-6 of the Gram matrix's largest entry, so that frames
/// whose target is the neutral converge, too.
std::vector<double> target_pull(const RigGram& gram, const WeightProblem& problem);

/// What the tolerance is multiplied by if shapes are nearly combinations of others (RigGram::least_independence below
/// 1e-3): the square of least_independence / 1e-3, between 1e-5 and 1. Along a combination of columns that nearly
/// vanishes, the objective's curvature is proportional to the square of its independent part, so that a gradient within
/// the tolerance may hide a wrong weight.
double descent_sharpness(double least_independence);

/// Finds the weights of a shot by descent in Gram space.
///
/// Method. solve_frames without the temporal term; then, with smoothness, optimize::solve_coupled from that solution,
/// or solve_frames with bending if `coupled` is false. Shapes with equal columns (RigGram::duplicates) afterwards share
/// their common weight: the first gets as much of it as its bounds allow.
/// `result.weights` holds the start on entry, inside the box. Same bytes for any number of threads.
void descend(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
             const DescentOptions& options, const optimize::ShotResult& result);

/// Per-frame measures of a shot's weights.
struct WeightQuality {
    /// (T): |Phi phi(w) - b|^2_Omega - |b|^2_Omega
    std::vector<double> fidelity;
    /// (T): largest entry of the projected gradient, the temporal term included; at the knot of an in-between, of the
    /// steeper one-sided slope.
    std::vector<double> optimality;
};

/// Measures weights (T, K) that are inside the box and equal for tied shapes. If `causal`, the optimality of a frame is
/// that of its own objective given the two frames before it, as solve_frames minimizes it.
WeightQuality measure_weights(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
                              View<const double, 2> weights, bool causal, int threads);

}  // namespace rigcast::inverse
