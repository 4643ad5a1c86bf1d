#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/descent.h"
#include "rigcast/inverse/rig_gram.h"

namespace rigcast::inverse {

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
