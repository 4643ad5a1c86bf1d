#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/products/box_newton.h"
#include "rigcast/optimize/products/gram_point.h"
#include "rigcast/optimize/products/newton_step.h"

namespace rigcast::optimize {

/// How the solve of one frame ended.
struct FrameReport {
    double objective = 0.0;       // see GramPoint::objective
    double optimality = 0.0;      // see GramPoint::optimality
    std::int64_t iterations = 0;  // Newton steps and sweeps
    bool converged = false;       // the optimality is at most the threshold
    bool reached_known = false;   // the solve ended early, close to the known solution
};

/// Where the start of a frame comes from: it decides which of the solver's state may be used again.
enum class Start {
    warm,         // the solution of nearly the same terms: its factorization serves for the first step
    across_knot,  // a solution with one variable moved to the other side of a knot: neither its factorization nor
                  // sweeps at first, which would move the variable back
    cold          // anywhere: sweeps come first
};

/// Minimizes one frame's objective from a start.
/// Method: Newton steps over the free variables (NewtonStep). If none helps, a sweep minimizes exactly over one
/// variable at a time, over all pieces of its range. If that does not move the point either, or the frame has taken
/// many steps, Newton steps over all variables in the box follow (BoxNewton). If variables have knots or are shared, a
/// converged point is swept once more: a better minimum may lie on another piece.
/// Guarantee: the objective never rises beyond its rounding. A converged point has an optimality of at most
/// `threshold`, and no single variable can improve it by more than that explains (see sweep_gains).
/// Not thread-safe: use one per thread.
class FrameSolver {
public:
    FrameSolver(const ProductModel& products, const linalg::GramMatrix& gram);

    /// Solves from `start` (K), inside the box, and writes the last point to x (K). If `known` (K), a solution of the
    /// same terms, is given, the solve ends unconverged as soon as it is so close, on the same pieces, that it would
    /// only find that solution again.
    FrameReport solve(const Terms& terms, const double* start, Start kind, double threshold,
                      std::int64_t max_iterations, const double* known, double* x);

private:
    std::int64_t sweep_first(std::int64_t max_iterations);
    bool step(double threshold, std::int64_t iterations);
    bool step_to_other_piece(double threshold);
    bool sweep();
    bool is_near(const double* known) const;

    GramPoint point_;
    NewtonStep newton_;
    BoxNewton box_newton_;
    bool has_line_minima_;        // along a single variable there may be several minima
    bool needs_box_ = false;      // set by the first frame that needs BoxNewton: the next ones are likely to
    std::vector<double> before_;  // (K)
};

}  // namespace rigcast::optimize
