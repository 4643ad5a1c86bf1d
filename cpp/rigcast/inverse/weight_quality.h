#pragma once
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/descent.h"

namespace rigcast::inverse {

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
