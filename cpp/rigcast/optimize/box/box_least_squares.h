#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/box/box_quadratic.h"

namespace rigcast::optimize {

/// Residuals r (R) of N unknowns, and their Jacobian (R, N).
class Residuals {
public:
    virtual ~Residuals() = default;
    virtual std::int64_t num_rows() const = 0;
    virtual void evaluate(const double* x, double* residuals) = 0;
    /// Writes the Jacobian at the point of the last `evaluate`.
    virtual void linearize(const double* x, std::vector<double>* jacobian) = 0;
};

/// What is minimized: 1/2 |r(x)|^2 + 1/2 ridge sum_k ((x_k - preferred_k) / scale_k)^2 on low <= x <= high.
struct BoxProblem {
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> scale;  // positive
    std::vector<double> preferred;
    double ridge = 0.0;
};

struct BoxResult {
    double objective = 0.0;  // without the factor 1/2
    std::int64_t iterations = 0;
    bool converged = false;
};

/// Levenberg-Marquardt steps inside a box. Each step minimizes the damped quadratic model exactly in the box by an
/// active set (BoxQuadratic), so that bounds are bounds and not clamps afterwards. Damping: Levenberg (1944),
/// Marquardt (1963), in units of `scale`, by the ratio of the actual to the predicted decrease.
/// Guarantee: the objective never rises. Not thread-safe: one per thread.
class BoxLeastSquares {
public:
    /// Moves x (N), which is inside the box, to a minimizer. Converged: the model predicts a decrease of less than
    /// `threshold`, or of less than the rounding of the objective in single precision; or the decreases of the last two
    /// steps, continued, are less than a tenth of `threshold`.
    BoxResult minimize(Residuals& residuals, const BoxProblem& problem, double threshold, std::int64_t max_iterations,
                       double* x);

private:
    double objective(const double* x) const;
    void assemble(const double* x);
    void assemble_hessian(std::int64_t rows, std::int64_t n);
    void converge(double predicted);
    bool step(Residuals& residuals, double* x);

    const BoxProblem* problem_ = nullptr;
    double threshold_ = 0.0;
    BoxQuadratic quadratic_;
    std::vector<std::int32_t> active_;  // unknowns that the model depends on
    std::vector<double> residuals_;
    std::vector<double> trial_residuals_;
    std::vector<double> jacobian_;      // (R, N)
    std::vector<double> columns_;       // (R, n) of the active unknowns, in units of their scales
    std::vector<double> hessian_;       // (n, n)
    std::vector<double> coefficients_;  // (R)
    std::vector<const double*> rows_;   // (R)
    std::vector<double> gradient_;
    std::vector<double> low_;
    std::vector<double> high_;
    std::vector<double> trial_;
    double damping_ = 0.0;
    double value_ = 0.0;
    double predicted_ = 0.0;  // decrease of the last step
    bool is_optimal_ = false;
};

}  // namespace rigcast::optimize
