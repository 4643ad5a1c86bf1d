#pragma once
#include <array>
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

/// A shot to invert: T frames of a rig with V vertices and K shapes. An empty view stands for the default.
struct ShotTargets {
    /// (T, V, 3), or (T, M, 3) in the order of RigGram::vertices. Vertices of positive weight are finite.
    View<const float, 3> targets;
    /// Sparsity, >= 0, in squared units of length.
    double alpha = 5.0;
    /// Temporal term, >= 0, in squared units of length.
    double smoothness = 0.0;
    /// (K, 2): lower and upper bounds of the weights. Default: the rig's.
    View<const double, 2> bounds = {};
    /// (T, K): pinned weights, NaN for free ones. Default: all free.
    View<const double, 2> fixed = {};
    /// (T, K): c of the priors. Default: no priors.
    View<const double, 2> prior_target = {};
    /// (T, K): s of the priors, >= 0; given together with c.
    View<const double, 2> prior_strength = {};
    /// Disjoint pairs of shapes whose weights are equal.
    std::vector<std::array<std::int32_t, 2>> ties = {};
    /// (T, K): where the search starts, inside the box. Default: the point of the box nearest to 0.
    View<const double, 2> start = {};
};

/// Weights of a shot, and how good they are.
struct ShotWeights {
    std::int64_t num_frames = 0;
    std::int64_t num_shapes = 0;
    std::vector<double> weights;           // (T, K), inside the box
    std::vector<double> objective;         // (T): WeightProblem's, without the temporal term
    std::vector<double> optimality;        // (T): largest entry of the projected gradient, temporal term included
    std::vector<double> rmse;              // (T): weighted root mean square distance of the vertices
    std::vector<std::int64_t> iterations;  // (T)
    std::vector<char> converged;           // (T)

    double weight(std::int64_t frame, std::int64_t shape) const { return weights[frame * num_shapes + shape]; }
};

/// Finds the weights that minimize WeightProblem's objective, by descend. `options.sharpness` is ignored: it is found
/// from the rig.
///
/// Idle shapes (RigGram::idle) get the value of their bounds nearest to 0, unless pins or priors ask for another one.
/// Guarantee: same bytes for any number of threads, and those of Python's rigcast.inverse.solve except on rigs whose
/// shapes are nearly dependent.
/// Throws ArgumentError on wrong shapes; on numbers that are not finite, too large or out of range; on pins or a start
/// outside the bounds; and on ties that are not disjoint or share no value. Throws NumericalError if the objective
/// overflows all the same.
ShotWeights solve(const RigGram& gram, const ShotTargets& shot, const DescentOptions& options = {});

/// The feasible weights of a shot, T frames of K shapes.
struct WeightBox {
    std::vector<double> lower;       // (T, K)
    std::vector<double> upper;       // (T, K): equal to `lower` for pinned weights
    std::vector<std::int32_t> ties;  // (K): the shape whose weight shape k copies, k itself if it is not tied
};

/// Makes the box of checked targets: the intersection of bounds, pins and the boxes of tied shapes, with idle shapes
/// pinned. Throws ArgumentError as solve does.
WeightBox make_box(const RigGram& gram, const ShotTargets& shot);

/// Larger weights, or terms of the objective, may overflow it.
constexpr double largest_weight = 1e12;
constexpr double largest_term = 1e304;

}  // namespace rigcast::inverse
