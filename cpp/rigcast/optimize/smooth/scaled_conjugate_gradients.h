#pragma once
#include "rigcast/optimize/smooth/minimization.h"

namespace rigcast::optimize {

/// Minimizes f from x, which becomes the best point found.
/// Method: scaled conjugate gradients (Moller 1993): conjugate directions whose steps come from the curvature, measured
/// by a difference of gradients, plus a damping that rises if a step does not lower f as predicted. Two evaluations per
/// iteration that succeeds, one per iteration that fails; the value then stays as it is. Failures that raise the
/// damping to its limit end the minimization as converged: the value cannot be lowered in double precision.
/// Throws ArgumentError if f is not finite at the start.
MinimizationReport minimize_scaled_conjugate_gradients(const SmoothFunction& f, std::span<double> x,
                                                       const MinimizationOptions& options);

}  // namespace rigcast::optimize
