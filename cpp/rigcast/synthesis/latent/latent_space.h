#pragma once
#include <cstdint>

#include "rigcast/core/aligned.h"
#include "rigcast/core/view.h"
#include "rigcast/synthesis/latent/kernel.h"

namespace rigcast::synthesis {

/// A Gaussian process from a latent space of D dimensions to P outputs, conditioned on N training points (a GPLVM;
/// Lawrence 2005): exactly, or through M inducing points (FITC; Snelson and Ghahramani 2006). With centers C (training
/// or inducing points), k(x) their covariances with x and K the training covariance, noise included,
///   mean(x) = Y^T K^-1 k(x),   variance(x) = k(x, x) - k(x)^T K^-1 k(x)
/// (Bailey et al. 2016, equations 5.7 and 5.8, with the inverse that 5.8 omits). The variance is that of one output
/// without noise. With inducing points, K^-1 k is replaced as in inducing_factors.h.
/// Immutable; const calls are thread-safe. Double precision.
///
/// Example: what a process of 3 outputs over a plane predicts between its points.
/// ```cpp
/// const std::vector<double> points{0, 0, 1, 0, 0, 1}, values{1, 2, 3, 4, 5, 6, 7, 8, 9}, at{0.5, 0.5};
/// const synthesis::Kernel kernel{.variance = 1.0, .length = 0.8, .noise = 1e-4};
/// const synthesis::LatentSpace space({points.data(), {3, 2}}, {values.data(), {3, 3}}, kernel, {nullptr, {0, 2}}, 0);
/// std::vector<double> mean(3);
/// space.mean({at.data(), {1, 2}}, {mean.data(), {1, 3}}, 0);
/// ```
class LatentSpace {
public:
    /// Points (N, D) and values (N, P) are copied; inducing points (M, D) of extent (0, any) mean the exact process.
    /// Throws ArgumentError on wrong shapes, numbers that are not finite, or a kernel that is not positive, and
    /// NumericalError if the covariance is not positive definite in double precision (noise too small).
    LatentSpace(View<const double, 2> points, View<const double, 2> values, const Kernel& kernel,
                View<const double, 2> inducing, int threads);

    View<const double, 2> points() const { return {points_.data(), {size_, dimension_}}; }
    View<const double, 2> values() const { return {values_.data(), {size_, outputs_}}; }
    /// (M, D); (0, D) if the process is exact.
    View<const double, 2> inducing() const { return {inducing_.data(), {inducing_size_, dimension_}}; }
    const Kernel& kernel() const { return kernel_; }
    std::int64_t dimension() const { return dimension_; }
    std::int64_t num_outputs() const { return outputs_; }
    /// log p(values | points).
    double log_likelihood() const { return log_likelihood_; }

    /// Numbers of working memory for the calls for one point, which allocate nothing.
    std::int64_t workspace_size() const { return 3 * stride_; }
    /// Writes the mean (P) at x (D).
    void mean(const double* x, double* out, double* workspace) const;
    /// Returns the variance at x (D), at least 0, and writes its gradient (D) unless `gradient` is null.
    double variance_and_gradient(const double* x, double* gradient, double* workspace) const;

    /// The same for points x (T, D). A point's bytes do not depend on the others. Throws ArgumentError on wrong shapes
    /// and numbers that are not finite; `function` is named.
    void mean(View<const double, 2> x, View<double, 2> out, int threads) const;
    void predictive_variance(View<const double, 2> x, View<double, 1> out, int threads) const;
    void variance_gradient(View<const double, 2> x, View<double, 2> out, int threads) const;

private:
    void condition_exactly(int threads);
    void condition_on_inducing(int threads);
    void set_weights(const double* weights);
    void check_points(const char* function, View<const double, 2> x) const;

    std::int64_t size_;
    std::int64_t dimension_;
    std::int64_t outputs_;
    std::int64_t inducing_size_;
    Kernel kernel_;
    LineVector<double> points_;
    LineVector<double> values_;
    LineVector<double> inducing_;
    Centers centers_;
    std::int64_t stride_ = 0;  // of the roots
    LineVector<double> weights_;
    LineVector<double> root_;
    LineVector<double> posterior_root_;
    double log_likelihood_ = 0.0;
};

}  // namespace rigcast::synthesis
