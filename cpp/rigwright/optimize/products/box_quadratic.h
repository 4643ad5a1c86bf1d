#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/linalg/active_set_cholesky.h"

namespace rigwright::optimize {

/// Minimizes a quadratic model inside a box that contains 0,
///   q(d) = 1/2 d^T (H + damping I) d + g^T d   on   low <= d <= high,
/// by a primal active-set method (Nocedal and Wright 2006, algorithm 16.3, for bounds): from d = 0 to the minimizer
/// over the free variables, as far as the first bound on the way, which is fixed; at that minimizer the fixed variable
/// with the steepest descent is released. A step changes one variable of the factorization. q never rises, and each
/// step but degenerate ones lowers it, also if H is nearly singular: a Newton step then points far out of the box, and
/// clamping it to the box gives no point near the minimizer.
/// Cost per step: O(n^2). One per thread.
class BoxQuadratic {
public:
    /// H (n, n), row-major with rows `stride` apart, both triangles; g, low and high of length n. Ends where no fixed
    /// variable has a descent of more than `least_descent`. `damping` is raised, from 1e-12 of the largest diagonal
    /// entry on, as long as H + damping I over the free variables is not positive definite up to rounding. Returns
    /// false if no damping up to that entry helps, or after 20 n steps; step() is then inside the box and q no higher
    /// than at 0.
    bool minimize(const std::vector<double>& hessian, std::int64_t stride, std::span<const double> gradient,
                  std::span<const double> low, std::span<const double> high, double damping, double least_descent);

    const std::vector<double>& step() const { return step_; }
    double damping() const { return damping_; }
    /// g^T d + 1/2 d^T H d of the step, without the damping.
    double change() const;

private:
    void start();
    bool factorize();
    void find_gradient();
    bool advance();
    bool release(double least_descent);
    void fix(std::int64_t place, double value);
    bool can_release(std::int32_t i) const;
    const double* row(std::int64_t i) const { return hessian_->data() + i * stride_; }

    const std::vector<double>* hessian_ = nullptr;
    std::int64_t stride_ = 0;
    std::span<const double> gradient_, low_, high_;
    double damping_ = 0.0, largest_ = 0.0;
    linalg::ActiveSetCholesky factor_;  // of the free variables
    std::vector<double> step_, slope_, rhs_;
    std::vector<char> is_free_, is_refused_;  // refused: came back to its bound as soon as it was released
    std::int32_t released_ = -1;              // by the last step
    std::vector<std::int32_t> free_, names_;
};

}  // namespace rigwright::optimize
