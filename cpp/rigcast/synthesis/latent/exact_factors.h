#pragma once
#include "rigcast/core/aligned.h"
#include "rigcast/linalg/dense/positive_definite.h"
#include "rigcast/synthesis/latent/kernel.h"

namespace rigcast::synthesis {

/// The Gaussian process of N training points as dense matrices of N rows, exactly.
/// Not thread-safe: use one per thread. Memory is kept between kernels and points. Cost: O(N^3).
class ExactFactors {
public:
    ExactFactors(std::int64_t points, std::int64_t outputs);

    /// Factorizes K of the points (N, D) and solves for the values (N, P). Returns false if K is not positive definite
    /// in double precision.
    bool factorize(View<const double, 2> points, View<const double, 2> values, const Kernel& kernel, int threads);
    /// log p(Y | X) = -P/2 log|K| - 1/2 tr(Y^T K^-1 Y) - NP/2 log 2 pi (Lawrence 2005; equation 5.4 of Bailey 2020
    /// lacks the logarithm).
    double log_likelihood() const { return log_likelihood_; }
    /// Its derivatives by the points, added to (N, D), and by log variance, log length and log noise, added to `kernel`
    /// (3). Overwrites the inverse of K.
    void add_gradient(View<const double, 2> points, const Kernel& kernel, View<double, 2> by_points, double* by_kernel,
                      int threads);

    std::int64_t stride() const { return matrix_.stride(); }
    /// U^-T of K = U^T U, lower triangular, rows stride() apart.
    const double* root() const { return root_.data(); }
    /// K^-1 Y, (N, P).
    const double* weights() const { return weights_.data(); }

private:
    std::int64_t outputs_;
    Centers centers_;
    linalg::PositiveDefinite matrix_;
    LineVector<double> root_;
    LineVector<double> inverse_;   // empty until the first gradient
    LineVector<double> whitened_;  // (N, P) root Y
    LineVector<double> weights_;
    double log_likelihood_ = 0.0;
};

}  // namespace rigcast::synthesis
