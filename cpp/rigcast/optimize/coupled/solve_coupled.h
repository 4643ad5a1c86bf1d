#pragma once
#include "rigcast/optimize/products/shot.h"

namespace rigcast::optimize {

/// The cost of a coupled solve. How each frame ended is in its ShotResult.
struct CoupledReport {
    std::int64_t iterations = 0;  // Newton steps and sweeps over the whole shot
};

/// Solves all frames of a shot together, coupled by the temporal term (see Shot).
/// Start and result: result.weights is the start on entry and the solution on return. A frame is converged if its
/// optimality, temporal term included, is at most its threshold. The iterations are added to result.iterations of every
/// frame.
/// Method: Newton steps over the free variables of all frames (ShotNewton), with a banded Cholesky factorization.
/// Between them, each frame that is not converged takes a Newton step of its own. If no step over the shot lowers the
/// objective, a sweep minimizes exactly over one variable of one frame at a time. If variables have knots, the
/// converged shot is swept once as well: a better minimum may lie on another piece.
/// Cost: about 1/30 s per 1,000 frames and factorization, for any weight of the temporal term. Iterative solvers
/// preconditioned by one factorization per frame take hundreds of passes over memory instead: for weights that hardly
/// move a vertex the temporal term dominates the objective, and the system is ill-conditioned.
/// Precision: gradient and objective are double. Hessians are float at first. They are double once no float step lowers
/// the objective, or once a step reduces the optimality by less than half although it fixed few variables.
/// Guarantee: the objective never rises. Same bytes for any number of threads.
/// Limit: if shapes are nearly dependent, the solve may end unconverged after `max_iterations`. Single frames have
/// BoxNewton for this case; shots have nothing like it.
CoupledReport solve_coupled(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                            const ShotOptions& options, const ShotResult& result);

}  // namespace rigcast::optimize
