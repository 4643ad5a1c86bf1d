#pragma once
#include "rigcast/optimize/smooth/minimization.h"

namespace rigcast::optimize {

/// Minimizes f from x, which becomes the best point found.
/// Method: limited-memory BFGS (Liu and Nocedal 1989) with 20 pairs and a line search for the strong Wolfe conditions
/// (Nocedal and Wright 2006, algorithms 3.5 and 3.6). If a search along a quasi-Newton direction finds nothing lower,
/// the pairs are dropped and the gradient is followed; if that finds nothing either, the minimization ends, as
/// converged: the value cannot be lowered in double precision.
/// Throws ArgumentError if f is not finite at the start.
MinimizationReport minimize_lbfgs(const SmoothFunction& f, std::span<double> x, const MinimizationOptions& options);

}  // namespace rigcast::optimize
