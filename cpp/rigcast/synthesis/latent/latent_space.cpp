#include "rigcast/synthesis/latent/latent_space.h"

#include <algorithm>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/synthesis/latent/exact_factors.h"
#include "rigcast/synthesis/latent/inducing_factors.h"

namespace rigcast::synthesis {
namespace {

constexpr const char* maker = "LatentSpace";

constexpr std::int64_t points_per_piece = 16;  // of batches, per piece of parallel work

NumericalError not_positive_definite() {
    return NumericalError(
        "LatentSpace: the covariance of the points is not positive definite in double precision; the noise is too "
        "small for points this close together");
}

}  // namespace

LatentSpace::LatentSpace(View<const double, 2> points, View<const double, 2> values, const Kernel& kernel,
                         View<const double, 2> inducing, int threads)
    : size_(points.extent(0)),
      dimension_(points.extent(1)),
      outputs_(values.extent(1)),
      inducing_size_(inducing.extent(0)),
      kernel_(kernel),
      points_(points.begin(), points.end()),
      values_(values.begin(), values.end()),
      inducing_(inducing.begin(), inducing.end()) {
    if (size_ < 1 || dimension_ < 1) {
        throw bad_argument(maker, "points", describe_shape<2>(points.extents()), "at least one point and dimension");
    }
    check_shape<const double, 2>(maker, "values", values, {size_, -1});
    if (outputs_ < 1) throw bad_argument(maker, "values", describe_shape<2>(values.extents()), "at least one output");
    check_finite(maker, "points", points);
    check_finite(maker, "values", values);
    check_kernel(maker, kernel);
    if (inducing_size_ == 0) {
        condition_exactly(threads);
        return;
    }
    check_shape<const double, 2>(maker, "inducing", inducing, {-1, dimension_});
    check_finite(maker, "inducing", inducing);
    if (inducing_size_ > size_) {
        throw bad_argument(maker, "inducing", std::to_string(inducing_size_) + " points",
                           "at most as many as the points, " + std::to_string(size_));
    }
    condition_on_inducing(threads);
}

void LatentSpace::condition_exactly(int threads) {
    ExactFactors factors(size_, outputs_);
    if (!factors.factorize(points(), values(), kernel_, threads)) throw not_positive_definite();
    centers_.set(points());
    stride_ = factors.stride();
    root_.assign(factors.root(), factors.root() + size_ * stride_);
    set_weights(factors.weights());
    log_likelihood_ = factors.log_likelihood();
}

void LatentSpace::condition_on_inducing(int threads) {
    InducingFactors factors(size_, inducing_size_, outputs_);
    if (!factors.factorize(points(), inducing(), values(), kernel_, threads)) throw not_positive_definite();
    centers_.set(inducing());
    stride_ = factors.stride();
    root_.assign(factors.root(), factors.root() + inducing_size_ * stride_);
    posterior_root_.resize(root_.size());
    factors.posterior_root(posterior_root_.data());
    set_weights(factors.weights());
    log_likelihood_ = factors.log_likelihood();
}

void LatentSpace::set_weights(const double* weights) {
    weights_.assign(static_cast<std::size_t>(outputs_ * centers_.stride()), 0.0);
    for (std::int64_t j = 0; j < centers_.size(); ++j) {
        for (std::int64_t p = 0; p < outputs_; ++p) weights_[p * centers_.stride() + j] = weights[j * outputs_ + p];
    }
}

void LatentSpace::mean(const double* x, double* out, double* workspace) const {
    kernel_functions().row(centers_, x, kernel_, 0, centers_.size(), workspace);
    for (std::int64_t p = 0; p < outputs_; ++p) {
        out[p] = kernel_functions().dot(weights_.data() + p * centers_.stride(), workspace, centers_.stride());
    }
}

double LatentSpace::variance_and_gradient(const double* x, double* gradient, double* workspace) const {
    const std::int64_t count = centers_.size();
    double* covariance = workspace;
    double* solved = gradient == nullptr ? nullptr : workspace + stride_;        // root^T root k
    double* returned = gradient == nullptr ? nullptr : workspace + 2 * stride_;  // what the posterior gives back
    kernel_functions().row(centers_, x, kernel_, 0, count, covariance);
    if (gradient != nullptr) std::fill_n(solved, 2 * stride_, 0.0);
    double variance = kernel_.variance - kernel_functions().quadratic(root_.data(), count, stride_, covariance, solved);
    if (!posterior_root_.empty()) {
        variance += kernel_functions().quadratic(posterior_root_.data(), count, stride_, covariance, returned);
    }
    if (gradient != nullptr) {
        // The gradient of k_j is k_j (c_j - x) / length^2, and that of the variance -2 sum_j solved_j times it.
        const double scale = -2.0 / (kernel_.length * kernel_.length);
        for (std::int64_t j = 0; j < count; ++j) solved[j] = scale * (solved[j] - returned[j]) * covariance[j];
        std::fill(solved + count, solved + stride_, 0.0);
        std::fill_n(gradient, dimension_, 0.0);
        kernel_functions().pull(centers_, x, solved, gradient);
    }
    return std::max(variance, 0.0);
}

void LatentSpace::check_points(const char* function, View<const double, 2> x) const {
    check_shape<const double, 2>(function, "x", x, {-1, dimension_});
    check_finite(function, "x", x);
}

void LatentSpace::mean(View<const double, 2> x, View<double, 2> out, int threads) const {
    check_points("LatentSpace.mean", x);
    check_shape<double, 2>("LatentSpace.mean", "out", out, {x.extent(0), outputs_});
    parallel_for(x.extent(0), points_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(workspace_size());
        for (std::int64_t t = begin; t < end; ++t) mean(x.row(t), out.row(t), memory.data());
    });
}

void LatentSpace::predictive_variance(View<const double, 2> x, View<double, 1> out, int threads) const {
    check_points("LatentSpace.predictive_variance", x);
    check_shape<double, 1>("LatentSpace.predictive_variance", "out", out, {x.extent(0)});
    parallel_for(x.extent(0), points_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(workspace_size());
        for (std::int64_t t = begin; t < end; ++t) out(t) = variance_and_gradient(x.row(t), nullptr, memory.data());
    });
}

void LatentSpace::variance_gradient(View<const double, 2> x, View<double, 2> out, int threads) const {
    check_points("LatentSpace.variance_gradient", x);
    check_shape<double, 2>("LatentSpace.variance_gradient", "out", out, {x.extent(0), dimension_});
    parallel_for(x.extent(0), points_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(workspace_size());
        for (std::int64_t t = begin; t < end; ++t) variance_and_gradient(x.row(t), out.row(t), memory.data());
    });
}

}  // namespace rigcast::synthesis
