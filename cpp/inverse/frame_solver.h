#pragma once
#include <cstdint>
#include <vector>

#include "inverse/frame.h"
#include "inverse/newton.h"

namespace rigwright::inverse {

/// How one frame ended.
struct FrameReport {
    double objective = 0.0;  // Frame::objective
    double optimality = 0.0;
    std::int64_t iterations = 0;  // Newton steps and sweeps
    bool converged = false;
};

/// Minimises one frame's objective from a start: Newton steps over the free variables; where they stop, sweeps of exact
/// minimisation over one variable at a time, which also look beyond the pieces next to a variable. The objective never
/// rises. Ends at a point whose optimality is at most `threshold` and that no single variable can improve. One a
/// thread.
class FrameSolver {
public:
    FrameSolver(const Structure& structure, View<const double, 2> gram) : frame_(structure, gram) {}

    /// `cold`: the start is far, so that sweeps come first. Writes the solution to x.
    FrameReport solve(const Terms& terms, const double* start, bool cold, double threshold, std::int64_t max_iterations,
                      double* x);
    const Frame& frame() const { return frame_; }

private:
    bool sweep(bool local);

    Frame frame_;
    NewtonStep newton_;
};

}  // namespace rigwright::inverse
