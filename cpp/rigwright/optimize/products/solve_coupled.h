#pragma once
#include "rigwright/optimize/products/shot.h"

namespace rigwright::optimize {

/// How a joint solve ended.
struct CoupledReport {
    std::int64_t iterations = 0;  // Newton steps and sweeps over the whole shot
};

/// Solves all frames of a shot together,
///   sum_t frame_t(x_t) + sum_k bending_k sum_{0<t<T-1} (x_{t-1,k} - 2 x_{t,k} + x_{t+1,k})^2,
/// by Newton steps over the free variables of all frames (see ShotNewton). The Hessian is banded by frames, a frame
/// meeting the two after it: its factor costs a thirtieth of a second for a thousand frames whatever the smoothness,
/// while iterations with a factor a frame as preconditioner need hundreds of passes over memory, since the temporal
/// term is stiff where the vertices hardly see a weight. Steps are taken from a Hessian in single precision until one
/// that met few bounds brings the optimality down by less than half: gradients and objective are in double throughout.
/// Between these steps each frame that is not solved settles by a Newton step of its own, given the others. Where no
/// step helps, a sweep minimizes exactly over one variable of one frame at a time. Starts from result.weights; the
/// objective never rises. A frame is converged when its optimality, temporal term included, is at most its threshold.
CoupledReport solve_coupled(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                            const ShotOptions& options, const ShotResult& result);

}  // namespace rigwright::optimize
