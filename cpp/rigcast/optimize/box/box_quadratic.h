#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/linalg/active_set_cholesky.h"

namespace rigcast::optimize {

/// Minimizes a quadratic model inside a box that contains 0,
///   q(d) = 1/2 d^T (H + damping I) d + g^T d   on   low <= d <= high.
/// Method: primal active set (Nocedal and Wright 2006, algorithm 16.3, for bounds). From d = 0 it moves to the
/// minimizer over the free variables, as far as the first bound on the way, whose variable is fixed; at that minimizer
/// the fixed variable with the steepest descent is released. Each move changes one variable of the factorization.
/// Guarantee: q never rises, and each move but degenerate ones lowers it, also if H is nearly singular, when clamping a
/// Newton step to the box gives no point near the minimizer.
/// Cost: O(n^2) per move. Not thread-safe: use one per thread.
class BoxQuadratic {
public:
    static constexpr double damping_growth = 10.0;
    /// Damping below this share of the largest diagonal entry of H is rounding.
    static constexpr double least_damping = 1e-12;

    /// H (n, n) is row-major with rows `stride` apart, both triangles; g, low and high have length n. Ends when no
    /// fixed variable has a descent of more than `least_descent`. `damping` is raised, from `least_damping` of the
    /// largest diagonal entry on, as long as H + damping I over the free variables is not positive definite up to
    /// rounding. Returns false if no damping up to that entry helps, or after 20 n moves; step() is then inside the box
    /// and q no higher than at 0. H, g, low and high must outlive `change`.
    bool minimize(const std::vector<double>& hessian, std::int64_t stride, std::span<const double> gradient,
                  std::span<const double> low, std::span<const double> high, double damping, double least_descent);

    /// (n) the minimizer d.
    const std::vector<double>& step() const { return step_; }
    /// The damping that was used in the end.
    double damping() const { return damping_; }
    /// g^T d + 1/2 d^T H d of the step: without the damping.
    double change() const;

private:
    void start();
    bool factorize();
    void compute_slopes();
    bool advance();
    bool release(double least_descent);
    void fix(std::int64_t position, double bound);
    bool can_release(std::int32_t i) const;
    const double* row(std::int64_t i) const { return hessian_->data() + i * stride_; }

    const std::vector<double>* hessian_ = nullptr;
    std::int64_t stride_ = 0;
    std::span<const double> gradient_;
    std::span<const double> low_;
    std::span<const double> high_;
    double damping_ = 0.0;
    double largest_ = 0.0;                // diagonal entry of H
    linalg::ActiveSetCholesky cholesky_;  // of H + damping I over the free variables
    std::vector<double> step_;
    std::vector<double> slopes_;  // of q at step_
    std::vector<char> is_free_;
    std::vector<char> is_refused_;   // returned to its bound as soon as it was released: not released again
    std::int32_t released_ = -1;     // variable that the last move released, or -1
    std::vector<std::int32_t> all_;  // 0 ... n - 1
    std::vector<std::int32_t> free_;
    std::vector<double> solution_;
};

}  // namespace rigcast::optimize
