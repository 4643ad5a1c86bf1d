#pragma once
#include <cstdint>
#include <functional>

#include "rigwright/core/view.h"
#include "rigwright/optimize/products/gram_point.h"

namespace rigwright::optimize {

/// A shot's terms in Gram space: T frames, K variables, N columns.
struct Shot {
    View<const double, 2> projections;   // (T, N)
    View<const double, 2> linear;        // (T, K)
    View<const double, 2> quadratic;     // (T, K), >= 0
    View<const double, 2> lower, upper;  // (T, K)
    View<const double, 1> bending;       // (K): weight of the second difference to the two frames before, 0 without

    /// Those of a frame, without bending.
    Terms terms(std::int64_t t) const {
        return {projections.row(t), linear.row(t), quadratic.row(t), lower.row(t), upper.row(t)};
    }
};

struct ShotOptions {
    View<const double, 1> thresholds;  // (T): optimality at which a frame is solved
    std::int64_t max_iterations = 200;
    int threads = 0;
    /// Called between the steps of a joint solve, on the calling thread, with the steps so far and the largest ratio of
    /// a frame's optimality to its threshold. What it throws ends the solve.
    std::function<void(std::int64_t iterations, double ratio)> report;
};

struct ShotResult {
    View<double, 2> weights;           // (T, K): the start on entry, inside the box; the solution on return
    View<std::int64_t, 1> iterations;  // (T)
    View<bool, 1> converged;           // (T)
};

}  // namespace rigwright::optimize
