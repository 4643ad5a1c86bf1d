#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/inverse/published/majorize_minimize.h"
#include "rigcast/linalg/gram_kernels.h"

namespace rigcast::inverse {

/// One frame's iteration: the activations at its weights, and the surrogate around them. Not thread-safe.
class MajorizeMinimize::FrameState {
public:
    FrameState(const MajorizeMinimize& method, const Frames& frames, std::int64_t frame);

    /// The surrogate around weights w (eq. 18).
    const Surrogate& majorize(const double* w);
    /// Moves w to the minimizer of the surrogate around it (algorithm 1). Returns by how much the surrogate decreases.
    double step(double* w);
    /// Returns true if a knot cut the last step short: the surrogate bounds nothing beyond it.
    bool stopped_at_knot() const { return stopped_at_knot_; }

private:
    double lower(std::int32_t k) const { return frames_.lower(frame_, k); }
    double upper(std::int32_t k) const { return frames_.upper(frame_, k); }
    const double* gram_row(std::int64_t n) const { return method_.gram_.data() + n * products_.num_columns(); }

    /// Computes the activations at w, their image and the objective.
    void activate(const double* w);
    double slope_of_objective(std::int32_t k, const double* w, int side) const;
    /// The side to which a group moves: that on which the objective falls more steeply; 1 if none of its weights is at
    /// a knot.
    int side_of(const std::vector<std::int32_t>& group, const double* w) const;
    /// Sets q and the range of steps of a group. Adds its part of sum |h_i|^2 to gradient_norm.
    void linearize(const std::vector<std::int32_t>& group, const double* w, double& gradient_norm);
    /// sum_i omega_i h_ik^2 = J_k^T G J_k
    double squared_gradient(std::int32_t k, const double* w, int side);
    /// A bound on S(g) = sum omega (g lambda_M + |g| a), at most allowed_excess * gradient_norm above it.
    double bound_on_corrections(double gradient_norm);
    /// S(g) from the residuals g of the coordinates that corrections move.
    double sum_corrections();

    const MajorizeMinimize& method_;
    const optimize::ProductModel& products_;
    const linalg::GramKernels& kernels_ = linalg::gram_kernels();
    const Frames& frames_;
    std::int64_t frame_;
    Surrogate surrogate_;
    double fidelity_ = 0.0;             // |f(w) - b|^2, weighted
    std::vector<double> activation_;    // (N): phi(w)
    std::vector<double> image_;         // (N): G phi(w)
    std::vector<double> slope_;         // (N): of activations along one weight
    std::vector<std::int32_t> sloped_;  // columns whose slope is not 0
    std::vector<double> low_end_;       // (K): weights at the ends of the steps' ranges
    std::vector<double> high_end_;      // (K)
    bool stopped_at_knot_ = false;
    std::vector<float> residual_;  // (R)
    // The last S(g) that was computed from the vertices, and the activations at which.
    double exact_corrections_ = 0.0;
    std::vector<double> exact_activation_;
    std::vector<double> exact_image_;
};

}  // namespace rigcast::inverse
