#pragma once
#include <cstdint>

#include "rigcast/core/aligned.h"
#include "rigcast/core/view.h"

namespace rigcast::synthesis {

/// Log predictive density of a Gaussian process latent space, up to a constant, per output dimension:
///
///     rho(x) = -1/2 log(v(x) / variance),   v(x) = variance - k(x)^T A k(x),
///     k(x)_i = variance exp(-|x - c_i|^2 / (2 length^2))
///
/// (Bailey 2020, eq. 5.8 with its inverse). rho is 0 far from the training points and rises near them.
///
/// From training points: A is the inverse of the kernel matrix plus noise, restricted to the centers that a pivoted
/// Cholesky factorization of the kernel matrix chooses (Harbrecht, Peters & Schneider 2012). Smooth kernels in few
/// dimensions need few of them, so a query costs (number of centers)^2, not N^2.
/// Guarantee: const calls are thread-safe; the numbers of a point do not depend on the other points of a call.
class DensityField {
public:
    static constexpr std::int64_t lanes = 32;  // points per kernel call, at most: each reads the whole matrix
    static constexpr std::int64_t max_dimensions = 16;

    /// points: (N, D) training points, N at least 1, D from 1 to 16. variance, length and noise: positive. tolerance:
    /// the factorization stops when no point's remaining kernel variance exceeds this share of `variance`.
    /// Throws ArgumentError.
    DensityField(View<const double, 2> points, double variance, double length, double noise, double tolerance);

    /// centers: (R, D). matrix: A, (R, R), symmetric; what sparse approximations (FITC) state of themselves. Throws
    /// ArgumentError.
    DensityField(View<const double, 2> centers, View<const double, 2> matrix, double variance, double length);

    std::int64_t num_dimensions() const { return dimensions_; }
    std::int64_t num_centers() const { return centers_; }

    /// rho (T,) and its gradient (T, D) at points x (T, D). Throws ArgumentError if shapes do not match or a number is
    /// not finite.
    void evaluate(View<const double, 2> x, View<double, 1> density, View<double, 2> gradient, int threads) const;

    /// The same for `count` points, at most `lanes`, that lie side by side: x and gradient are (D, lanes), density is
    /// (lanes). Numbers of lanes up to count rounded up to eight are read and written. memory has memory_size(count)
    /// numbers; x, density, gradient and memory are aligned to 64 bytes.
    void evaluate_side_by_side(std::int64_t count, const double* x, double* density, double* gradient,
                               double* memory) const;
    std::int64_t memory_size(std::int64_t count) const { return 2 * ((count + 7) / 8 * 8) * centers_; }

private:
    void set(View<const double, 2> centers, const double* matrix);

    std::int64_t dimensions_ = 0, centers_ = 0;
    double variance_ = 0.0, length_ = 0.0;
    LineVector<double> points_;  // (R, D)
    LineVector<double> matrix_;  // (R, R)
};

}  // namespace rigcast::synthesis
