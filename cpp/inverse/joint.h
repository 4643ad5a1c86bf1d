#pragma once
#include "inverse/shot.h"

namespace rigwright::inverse {

/// How a joint solve ended.
struct JointReport {
    std::int64_t iterations = 0;  // Newton steps and sweeps over the whole shot
};

/// Solves all frames of a shot together,
///   sum_t frame_t(x_t) + sum_k bending_k sum_{0<t<T-1} (x_{t-1,k} - 2 x_{t,k} + x_{t+1,k})^2,
/// by Newton steps over the free variables of all frames (see NewtonStep). The Hessian is banded by frames: its
/// Cholesky factor stays inside the rows' envelopes, which reach back two frames. Where a step does not help, a sweep
/// minimises exactly over one variable of one frame at a time. Starts from result.weights; the objective never rises. A
/// frame is converged when its optimality, temporal term included, is at most its threshold.
JointReport solve_joint(const Structure& structure, const GramMatrix& gram, const Shot& shot,
                        const ShotOptions& options, const ShotResult& result);

}  // namespace rigwright::inverse
