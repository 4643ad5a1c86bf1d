#pragma once
#include <cstdint>
#include <functional>

#include "rigcast/core/view.h"
#include "rigcast/optimize/products/gram_point.h"

namespace rigcast::optimize {

/// The objective of a shot of T frames in Gram space: for every frame its Terms over K variables and N columns, and the
/// temporal term sum_k bending_k sum_{0<t<T-1} (x_{t-1,k} - 2 x_{t,k} + x_{t+1,k})^2.
struct Shot {
    View<const double, 2> projections;  // (T, N)
    View<const double, 2> linear;       // (T, K)
    View<const double, 2> quadratic;    // (T, K), >= 0
    View<const double, 2> lower;        // (T, K)
    View<const double, 2> upper;        // (T, K)
    View<const double, 1> bending;      // (K), >= 0

    /// The terms of one frame, without the temporal term.
    Terms terms(std::int64_t t) const {
        return {projections.row(t), linear.row(t), quadratic.row(t), lower.row(t), upper.row(t)};
    }
};

struct ShotOptions {
    View<const double, 1> thresholds;   // (T): a frame is solved if its optimality is at most this
    std::int64_t max_iterations = 200;  // per frame, or of a coupled solve
    int threads = 0;                    // 0: all processors
    /// Called by a coupled solve before each step, on the calling thread, with the number of steps so far and the
    /// largest ratio of a frame's optimality to its threshold. What it throws ends the solve.
    std::function<void(std::int64_t iterations, double ratio)> report;
};

/// Where a solve writes its result.
struct ShotResult {
    View<double, 2> weights;           // (T, K): the start on entry, inside the box; the solution on return
    View<std::int64_t, 1> iterations;  // (T)
    View<bool, 1> converged;           // (T)
};

}  // namespace rigcast::optimize
