#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rigcast::optimize {

/// A differentiable function of n numbers: returns f(x) and writes its gradient. Returns infinity or NaN where f is not
/// defined; the gradient is then ignored.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// When an unconstrained minimization stops.
struct MinimizationOptions {
    std::int64_t max_iterations = 200;
    /// Converged if no gradient entry is above `gradient_tolerance`, or if the last three iterations each lowered the
    /// value by at most `tolerance` max(1, |f|).
    double tolerance = 1e-7;
    double gradient_tolerance = 0.0;
    /// Called with the value at the start (iteration 0) and after each iteration. What it throws ends the minimization.
    std::function<void(std::int64_t iteration, double value)> report = {};
};

/// How an unconstrained minimization ended. The value never rises.
struct MinimizationReport {
    std::vector<double> values;    // f at the start and after each iteration
    std::int64_t evaluations = 0;  // of the function
    bool converged = false;

    std::int64_t iterations() const { return static_cast<std::int64_t>(values.size()) - 1; }
};

/// Decides after each iteration if a minimization has converged.
class Convergence {
public:
    /// Evaluates nothing. Throws ArgumentError, which names `function`, if f is not finite at the start.
    Convergence(const char* function, double start, const MinimizationOptions& options, MinimizationReport* report);

    /// Records a value and its gradient. Returns true if the minimization is over.
    bool finished(double value, std::span<const double> gradient);
    bool has_small_gradient(std::span<const double> gradient) const;

private:
    static constexpr int small_steps_to_converge = 3;

    const MinimizationOptions* options_;
    MinimizationReport* report_;
    int small_steps_ = 0;
};

}  // namespace rigcast::optimize
