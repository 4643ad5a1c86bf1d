#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/optimize/products/box_newton.h"
#include "rigwright/optimize/products/gram_point.h"
#include "rigwright/optimize/products/newton.h"

namespace rigwright::optimize {

/// How one frame ended.
struct FrameReport {
    double objective = 0.0;  // GramPoint::objective
    double optimality = 0.0;
    std::int64_t iterations = 0;  // Newton steps and sweeps
    bool converged = false;
    bool reached_known = false;  // ended beside the known solution
};

/// Where the start of a frame comes from: it decides which of the solver's state may be used again.
enum class Start {
    warm,         // the solution of nearly the same terms: its factorization serves for the first step
    across_knot,  // a solution with one variable moved to the other side of a knot: neither its factorization nor
                  // sweeps at first, which would move the variable back
    cold          // anywhere: sweeps come first
};

/// Minimizes one frame's objective from a start: Newton steps over the free variables; where they stop, sweeps of exact
/// minimization over one variable at a time, which also look beyond the pieces next to a variable; where these come no
/// nearer to a solution, Newton steps over all variables in the box (BoxNewton). The objective never rises. Ends at a
/// point whose optimality is at most `threshold` and that no single variable can improve. Not thread-safe: use one per
/// thread.
class FrameSolver {
public:
    FrameSolver(const ProductModel& products, const linalg::GramMatrix& gram) : frame_(products, gram) {}

    /// With `known`, a solution of the same terms, the solve ends, not converged, where all its variables come so near,
    /// on the same pieces, that it would only be found again. Writes the last point to x.
    FrameReport solve(const Terms& terms, const double* start, Start kind, double threshold,
                      std::int64_t max_iterations, const double* known, double* x);
    const GramPoint& frame() const { return frame_; }

private:
    bool step(double threshold, std::int64_t iterations);
    bool sweep(bool local);
    bool is_near(const double* known) const;

    GramPoint frame_;
    NewtonStep newton_;
    BoxNewton box_newton_;
    bool in_box_ = false;  // from the first frame on that stalled: those after it would, too
    std::vector<double> solved_;
};

}  // namespace rigwright::optimize
