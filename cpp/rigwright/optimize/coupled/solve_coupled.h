#pragma once
#include "rigwright/optimize/products/shot.h"

namespace rigwright::optimize {

/// How a coupled solve ended.
struct CoupledReport {
    std::int64_t iterations = 0;  // Newton steps and sweeps over the whole shot
};

/// Solves all frames of a shot together, coupled by the temporal term (see Shot).
/// Method: Newton steps over the free variables of all frames (ShotNewton), with a banded Cholesky factorization. Its
/// cost does not depend on the smoothness: about 1/30 s per 1,000 frames. Iterative solvers preconditioned by one
/// factorization per frame take hundreds of passes over memory instead, since the temporal term is stiff along weights
/// that hardly move a vertex. Between these steps, every frame that is not solved makes a Newton step of its own. If no
/// step helps, a sweep minimizes exactly over one variable of one frame at a time.
/// Precision: Hessians are float until a step with few fixed variables reduces the optimality by less than half, double
/// afterwards. Gradient and objective are always double.
/// Guarantee: the objective never rises. Same bytes for any number of threads.
/// Limit: shots of nearly dependent shapes may end unconverged after `max_iterations`; there is no BoxNewton of shots.
/// Starts from result.weights. A frame is converged if its optimality, temporal term included, is at most its
/// threshold. Adds the iterations to result.iterations.
CoupledReport solve_coupled(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                            const ShotOptions& options, const ShotResult& result);

}  // namespace rigwright::optimize
