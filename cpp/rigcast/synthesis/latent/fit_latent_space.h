#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/synthesis/latent/latent_space.h"
#include "rigcast/synthesis/latent/objective.h"

namespace rigcast::synthesis {

/// How the posterior is maximized.
enum class LatentMethod { lbfgs, scaled_conjugate_gradients };

struct LatentFitOptions {
    LatentMethod method = LatentMethod::lbfgs;
    std::int64_t iterations = 200;  // of each start, at most
    double tolerance = 1e-6;        // see optimize::MinimizationOptions
    std::int64_t starts = 1;        // the given start, then `starts` - 1 perturbed by the seed
    std::uint64_t seed = 0;
    int threads = 0;
    /// Called after each iteration of each start, with iterations counted over all starts. What it throws ends the fit.
    std::function<void(std::int64_t iteration, double objective)> report = {};
};

/// The best of all starts, and how each start ended.
struct FittedLatentSpace {
    LatentSpace space;
    std::vector<double> objective;  // at the best start and after each of its iterations
    std::vector<double> seconds;    // since the fit began, at each of these
    bool converged;
    std::vector<double> start_objectives;  // (starts) at the end of each start
};

/// Latent points and a kernel for values (N, P) of clips `segments`, from points start (N, D): the maximum of the
/// posterior of LatentObjective (Bailey et al. 2016, section 4.3). The start is centered and scaled to a mean square of
/// 1, the scale that the dynamics prior expects. Perturbed starts add normal numbers of standard deviation 0.1.
/// Guarantee: the same bytes for any number of threads.
/// Throws ArgumentError on wrong shapes and numbers that are not finite, fewer than two frames, a start whose points
/// are all equal, and terms that do not fit.
FittedLatentSpace fit_latent_space(View<const double, 2> values, const std::vector<Segment>& segments,
                                   View<const double, 2> start, const LatentTerms& terms,
                                   const LatentFitOptions& options);

}  // namespace rigcast::synthesis
