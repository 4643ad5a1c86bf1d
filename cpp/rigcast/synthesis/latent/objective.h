#pragma once
#include <memory>
#include <span>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/synthesis/latent/connectivity_prior.h"
#include "rigcast/synthesis/latent/dynamics_prior.h"
#include "rigcast/synthesis/latent/exact_factors.h"
#include "rigcast/synthesis/latent/inducing_factors.h"

namespace rigcast::synthesis {

/// Which terms the objective of a latent space has.
struct LatentTerms {
    std::int64_t inducing = 0;  // number of inducing points; 0: the exact process
    bool dynamics = true;
    bool connectivity = true;
    double dynamics_length = 8.0;  // frames
    double dynamics_noise = 1e-4;  // of a variance of 1
    double connectivity_weight = 1.0;
    std::int64_t connectivity_frames = 192;  // at most; the vertices of the connectivity prior
};

/// The negative logarithm of the posterior of latent points and hyper-parameters (Bailey et al. 2016, equation 5.7),
///   -log p(Y | X, kernel) - log p_dynamics(X) - log p_connectivity(X) + N D / 2 (log length)^2,
/// and its gradient. The last term is not in the paper. It fixes the unit of the latent space: the likelihood depends
/// on X / length alone, so that the dynamics prior would be largest for points and a length that shrink to zero
/// together, where it says nothing about the points' order in time. Unknowns, in this order: points (N, D), inducing
/// points (M, D), log variance, log length, and the logarithm of the noise above its floor, noise = floor +
/// exp(unknown). The floor is 1e-6 of the mean square of the values: it keeps the covariance positive definite in
/// double precision. Not thread-safe: use one per thread. The same bytes for any number of threads.
class LatentObjective {
public:
    static constexpr double noise_floor = 1e-6;

    /// Throws ArgumentError if shapes, segments or terms do not fit each other. `values` must outlive the object.
    LatentObjective(View<const double, 2> values, std::int64_t dimension, const std::vector<Segment>& segments,
                    const LatentTerms& terms, int threads);

    std::int64_t dimension() const { return dimension_; }
    std::int64_t num_unknowns() const { return (frames() + inducing_) * dimension_ + 3; }
    /// Unknowns for points (N, D): inducing points evenly over the frames, variance the mean square of the values,
    /// length 1, noise a hundredth of the variance.
    std::vector<double> start(View<const double, 2> points) const;
    /// The value, and its gradient. Returns infinity if a covariance is not positive definite.
    double evaluate(std::span<const double> unknowns, std::span<double> gradient);

    View<const double, 2> points(std::span<const double> unknowns) const {
        return {unknowns.data(), {frames(), dimension_}};
    }
    View<const double, 2> inducing(std::span<const double> unknowns) const {
        return {unknowns.data() + frames() * dimension_, {inducing_, dimension_}};
    }
    Kernel kernel(std::span<const double> unknowns) const;

private:
    std::int64_t frames() const { return values_.extent(0); }

    View<const double, 2> values_;
    std::int64_t dimension_;
    std::int64_t inducing_;
    double mean_square_;
    int threads_;
    std::unique_ptr<ExactFactors> exact_;
    std::unique_ptr<InducingFactors> through_;
    std::unique_ptr<DynamicsPrior> dynamics_;
    std::unique_ptr<ConnectivityPrior> connectivity_;
};

}  // namespace rigcast::synthesis
