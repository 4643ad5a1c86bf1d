#pragma once
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/inverse/descent.h"

namespace rigwright::inverse {

/// How good the weights of a shot are, frame by frame.
struct WeightQuality {
    std::vector<double> fidelity;    // (T): |Phi phi(w) - b|^2_Omega - |b|^2_Omega
    std::vector<double> optimality;  // (T): largest entry of the projected gradient, the temporal term included; at a
                                     // knot of an in-between the steepest descent to either side
};

/// Measures weights (T, K) inside the box, tied shapes equal. With `causal`, the optimality of a frame is that of its
/// own objective given the two frames before it.
WeightQuality measure_weights(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
                              View<const double, 2> weights, bool causal, int threads);

}  // namespace rigwright::inverse
