#pragma once
#include "rigcast/core/aligned.h"
#include "rigcast/linalg/dense/positive_definite.h"
#include "rigcast/synthesis/latent/kernel.h"

namespace rigcast::synthesis {

/// The Gaussian process of N training points through M inducing points: the fully independent training conditional
/// (FITC; Snelson and Ghahramani 2006; Quinonero-Candela and Rasmussen 2005), whose covariance of the values is
///   Q + Lambda,   Q = K_nm K_mm^-1 K_mn,   Lambda = diag(variance + noise - Q).
/// With the training points as inducing points it is the exact process, up to the jitter.
/// Not thread-safe: use one per thread. Memory is kept between calls. Cost: O(N M^2).
class InducingFactors {
public:
    /// Added to the diagonal of K_mm, relative to the variance, so that inducing points may be close or equal.
    static constexpr double jitter = 1e-8;
    static constexpr std::int64_t frames_per_chunk = 256;

    InducingFactors(std::int64_t points, std::int64_t inducing, std::int64_t outputs);

    /// Factorizes for points (N, D), inducing points (M, D) and values (N, P). Returns false if a matrix is not
    /// positive definite in double precision.
    bool factorize(View<const double, 2> points, View<const double, 2> inducing, View<const double, 2> values,
                   const Kernel& kernel, int threads);
    /// log p(Y | X, Z) under this covariance.
    double log_likelihood() const { return log_likelihood_; }
    /// Its derivatives by the points and the inducing points, added to (N, D) and (M, D), and by log variance, log
    /// length and log noise, added to `by_kernel` (3).
    void add_gradient(View<const double, 2> points, View<const double, 2> inducing, View<const double, 2> values,
                      const Kernel& kernel, View<double, 2> by_points, View<double, 2> by_inducing, double* by_kernel,
                      int threads);

    std::int64_t stride() const { return prior_.stride(); }
    /// R = U^-T of K_mm = U^T U, lower triangular, rows stride() apart.
    const double* root() const { return root_.data(); }
    /// S R with S = U^-T of I + R K_mn Lambda^-1 K_nm R^T: the predictive variance at x is
    /// variance - |R k|^2 + |S R k|^2. Writes rows stride() apart.
    void posterior_root(double* out) const;
    /// (K_mm + K_mn Lambda^-1 K_nm)^-1 K_mn Lambda^-1 Y, (M, P): the mean at x is k^T times this.
    const double* weights() const { return weights_.data(); }

private:
    std::int64_t chunks() const { return (points_ + frames_per_chunk - 1) / frames_per_chunk; }
    void whiten(View<const double, 2> points, View<const double, 2> values, const Kernel& kernel, int threads);
    void sum_chunks();
    struct ChunkGradient;
    struct ChunkMemory;
    ChunkMemory divide(double* memory, std::int64_t count, double* totals) const;
    void mix_chunk(const ChunkGradient& task, const ChunkMemory& memory, std::int64_t begin, std::int64_t count);
    void gradient_of_chunk(const ChunkGradient& task, std::int64_t begin, std::int64_t end);
    void gradient_of_inducing(View<const double, 2> inducing, const Kernel& kernel, const double* weighted,
                              View<double, 2> by_inducing, double* by_kernel);

    std::int64_t points_;
    std::int64_t outputs_;
    std::int64_t width_;                  // M rounded up to eight: numbers per row of the (N, M) matrices
    Centers centers_;                     // the inducing points
    linalg::PositiveDefinite prior_;      // K_mm
    linalg::PositiveDefinite posterior_;  // I + sum_n v_n v_n^T / lambda_n
    LineVector<double> root_;             // R
    LineVector<double> root_transposed_;  // (M, width_)
    LineVector<double> posterior_root_;   // S
    LineVector<double> covariance_;       // (N, width_) K_nm
    LineVector<double> whitened_;         // (N, width_) v_n / sqrt(lambda_n), v_n = R k_n
    LineVector<double> lambda_;           // (N)
    LineVector<double> scaled_values_;    // (N, P) y_n / sqrt(lambda_n)
    LineVector<double> partial_;          // (chunks, M, width_ + P) sums of a chunk of frames
    LineVector<double> projected_;        // (M, P) S sum_n v_n y_n^T / lambda_n
    LineVector<double> weights_;
    double log_likelihood_ = 0.0;
};

}  // namespace rigcast::synthesis
