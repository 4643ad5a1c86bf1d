#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/inverse/descent.h"
#include "rigwright/inverse/rig_gram.h"

namespace rigwright::inverse {

/// A shot to invert, T frames on a rig of V vertices and K shapes. Views that are left empty stand for the defaults.
struct ShotTargets {
    View<const float, 3> targets;             // (T, V, 3), or (T, M, 3) in the order of RigGram::vertices; finite there
    double alpha = 5.0;                       // sparsity, >= 0, in squared units of length
    double smoothness = 0.0;                  // temporal term, >= 0, in squared units of length
    View<const double, 2> bounds = {};        // (K, 2): the box; default: the rig's bounds
    View<const double, 2> fixed = {};         // (T, K): pinned weights, NaN where free; default: none
    View<const double, 2> prior_target = {};  // (T, K): c of the priors, and
    View<const double, 2> prior_strength = {};           // (T, K): s >= 0; default: none
    std::vector<std::array<std::int32_t, 2>> ties = {};  // disjoint pairs of shapes whose weights are equal
    View<const double, 2> start = {};                    // (T, K), inside the box; default: the point nearest to 0
};

/// Weights of a shot, and how good they are.
struct ShotWeights {
    std::int64_t num_frames = 0, num_shapes = 0;
    std::vector<double> weights;           // (T, K), inside the box
    std::vector<double> objective;         // (T): a frame's own terms; see WeightProblem
    std::vector<double> optimality;        // (T): largest entry of the projected gradient, the temporal term included
    std::vector<double> rmse;              // (T): weighted root mean square distance of the vertices
    std::vector<std::int64_t> iterations;  // (T)
    std::vector<char> converged;           // (T)

    double weight(std::int64_t frame, std::int64_t shape) const { return weights[frame * num_shapes + shape]; }
};

/// Finds the weights that minimize WeightProblem's objective by descent; shapes that move none of the vertices rest at
/// the value of their bounds nearest to 0 unless pins or priors ask for another. `options.sharpness` is found from the
/// rig and need not be set. The weights have the bytes of Python's rigwright.inverse.solve, except on rigs whose shapes
/// are nearly dependent, and the same bytes for any number of threads. Throws ArgumentError on wrong shapes, numbers
/// that are not finite, too large or out of range, pins or a start outside the bounds, and pairs that are not disjoint
/// or share no value; NumericalError if numbers of absurd size overflow after all.
ShotWeights solve(const RigGram& gram, const ShotTargets& shot, const DescentOptions& options = {});

}  // namespace rigwright::inverse
