#include "rigcast/synthesis/latent/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "rigcast/core/check.h"

namespace rigcast::synthesis {
namespace {

constexpr const char* fitter = "fit_latent_space";

/// `count` frames, evenly over all.
std::vector<std::int64_t> spread_frames(std::int64_t frames, std::int64_t count) {
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) chosen[i] = (2 * i + 1) * frames / (2 * count);
    return chosen;
}

double mean_square(View<const double, 2> values) {
    const double sum = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    return sum / static_cast<double>(values.size());
}

}  // namespace

LatentObjective::LatentObjective(View<const double, 2> values, std::int64_t dimension,
                                 const std::vector<Segment>& segments, const LatentTerms& terms, int threads)
    : values_(values), dimension_(dimension), inducing_(terms.inducing), threads_(threads) {
    check_segments(fitter, segments, frames());
    if (inducing_ < 0 || inducing_ > frames()) {
        throw bad_argument(fitter, "inducing", std::to_string(inducing_),
                           "0 (the exact process) to the number of frames, " + std::to_string(frames()));
    }
    mean_square_ = mean_square(values);
    if (!(mean_square_ > 0.0) || !std::isfinite(mean_square_)) {
        throw bad_argument(fitter, "values", "zero everywhere, or too large to square", "values with a variance");
    }
    if (inducing_ > 0) {
        through_ = std::make_unique<InducingFactors>(frames(), inducing_, values.extent(1));
    } else {
        exact_ = std::make_unique<ExactFactors>(frames(), values.extent(1));
    }
    if (terms.dynamics) {
        dynamics_ =
            std::make_unique<DynamicsPrior>(segments, frames(), terms.dynamics_length, terms.dynamics_noise, threads);
    }
    if (!terms.connectivity) return;
    if (terms.connectivity_frames < 2) {
        throw bad_argument(fitter, "connectivity_frames", std::to_string(terms.connectivity_frames), "2 or more");
    }
    if (!(terms.connectivity_weight >= 0.0) || !std::isfinite(terms.connectivity_weight)) {
        throw bad_argument(fitter, "connectivity_weight", std::to_string(terms.connectivity_weight),
                           "finite and at least 0");
    }
    const std::int64_t vertices = std::min(terms.connectivity_frames, frames());
    connectivity_ =
        std::make_unique<ConnectivityPrior>(spread_frames(frames(), vertices), frames(), terms.connectivity_weight);
}

std::vector<double> LatentObjective::start(View<const double, 2> points) const {
    std::vector<double> unknowns(points.begin(), points.end());
    for (std::int64_t frame : spread_frames(frames(), inducing_)) {
        unknowns.insert(unknowns.end(), points.row(frame), points.row(frame) + dimension_);
    }
    unknowns.insert(unknowns.end(), {std::log(mean_square_), 0.0, std::log(0.01 * mean_square_)});
    return unknowns;
}

Kernel LatentObjective::kernel(std::span<const double> unknowns) const {
    const double* logs = unknowns.data() + unknowns.size() - 3;
    return {std::exp(logs[0]), std::exp(logs[1]), noise_floor * mean_square_ + std::exp(logs[2])};
}

double LatentObjective::evaluate(std::span<const double> unknowns, std::span<double> gradient) {
    constexpr double undefined = std::numeric_limits<double>::infinity();
    const Kernel now = kernel(unknowns);
    for (double number : {now.variance, now.length, now.noise}) {
        if (!std::isfinite(number) || number <= 0.0) return undefined;
    }
    std::fill(gradient.begin(), gradient.end(), 0.0);
    const View<const double, 2> x = points(unknowns);
    const View<const double, 2> z = inducing(unknowns);
    const View<double, 2> by_points(gradient.data(), x.extents());
    const View<double, 2> by_inducing(gradient.data() + x.size(), z.extents());
    double* by_kernel = gradient.data() + gradient.size() - 3;
    double sum = 0.0;
    if (exact_) {
        if (!exact_->factorize(x, values_, now, threads_)) return undefined;
        sum += exact_->log_likelihood();
        exact_->add_gradient(x, now, by_points, by_kernel, threads_);
    } else {
        if (!through_->factorize(x, z, values_, now, threads_)) return undefined;
        sum += through_->log_likelihood();
        through_->add_gradient(x, z, values_, now, by_points, by_inducing, by_kernel, threads_);
    }
    by_kernel[2] *= (now.noise - noise_floor * mean_square_) / now.noise;
    const double log_length = unknowns[unknowns.size() - 2];
    const double numbers = static_cast<double>(x.size());
    sum -= 0.5 * numbers * log_length * log_length;
    by_kernel[1] -= numbers * log_length;
    if (dynamics_) sum += dynamics_->add(x, by_points, threads_);
    if (connectivity_) sum += connectivity_->add(x, by_points, threads_);
    for (double& entry : gradient) entry = -entry;
    return -sum;
}

}  // namespace rigcast::synthesis
