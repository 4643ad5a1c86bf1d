#include "rigcast/synthesis/latent/inducing_factors.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/dense/product.h"

namespace rigcast::synthesis {

using linalg::add_product;

InducingFactors::InducingFactors(std::int64_t points, std::int64_t inducing, std::int64_t outputs)
    : points_(points),
      outputs_(outputs),
      width_((inducing + 7) / 8 * 8),
      prior_(inducing),
      posterior_(inducing),
      root_(static_cast<std::size_t>(inducing * prior_.stride())),
      root_transposed_(static_cast<std::size_t>(inducing * width_)),
      posterior_root_(root_.size()),
      covariance_(static_cast<std::size_t>(points * width_)),
      whitened_(covariance_.size()),
      lambda_(static_cast<std::size_t>(points)),
      scaled_values_(static_cast<std::size_t>(points * outputs)),
      partial_(static_cast<std::size_t>(chunks() * inducing * (width_ + outputs))),
      projected_(static_cast<std::size_t>(inducing * outputs)),
      weights_(projected_.size()) {}

/// Covariances, whitened covariances and lambda of all frames, and the sums of each chunk of frames.
void InducingFactors::whiten(View<const double, 2> points, View<const double, 2> values, const Kernel& kernel,
                             int threads) {
    const std::int64_t m = centers_.size();
    parallel_for(points_, frames_per_chunk, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(linalg::product_workspace);
        const std::int64_t count = end - begin;
        double* covariance = covariance_.data() + begin * width_;
        double* white = whitened_.data() + begin * width_;
        for (std::int64_t n = 0; n < count; ++n) {
            kernel_functions().row(centers_, points.row(begin + n), kernel, 0, m, covariance + n * width_);
            std::fill(covariance + n * width_ + m, covariance + (n + 1) * width_, 0.0);
        }
        std::fill_n(white, count * width_, 0.0);
        add_product(count, m, m, 1.0, {covariance, width_, 1}, {root_transposed_.data(), width_}, white, width_,
                    memory.data());
        for (std::int64_t n = 0; n < count; ++n) {
            double* v = white + n * width_;
            const double explained = kernel_functions().dot(v, v, width_);
            const double lambda = std::max(kernel.variance - explained, 0.0) + kernel.noise;
            const double scale = 1.0 / std::sqrt(lambda);
            lambda_[begin + n] = lambda;
            for (std::int64_t i = 0; i < width_; ++i) v[i] *= scale;
            for (std::int64_t p = 0; p < outputs_; ++p) {
                scaled_values_[(begin + n) * outputs_ + p] = values(begin + n, p) * scale;
            }
        }
        double* partial = partial_.data() + begin / frames_per_chunk * m * (width_ + outputs_);
        std::fill_n(partial, m * (width_ + outputs_), 0.0);
        add_product(m, m, count, 1.0, {white, 1, width_}, {white, width_}, partial, width_, memory.data());
        add_product(m, outputs_, count, 1.0, {white, 1, width_}, {scaled_values_.data() + begin * outputs_, outputs_},
                    partial + m * width_, outputs_, memory.data());
    });
}

/// Adds the sums of all chunks to the first, in order.
void InducingFactors::sum_chunks() {
    const std::int64_t size = centers_.size() * (width_ + outputs_);
    for (std::int64_t chunk = 1; chunk < chunks(); ++chunk) {
        for (std::int64_t i = 0; i < size; ++i) partial_[i] += partial_[chunk * size + i];
    }
}

bool InducingFactors::factorize(View<const double, 2> points, View<const double, 2> inducing,
                                View<const double, 2> values, const Kernel& kernel, int threads) {
    const std::int64_t m = inducing.extent(0);
    centers_.set(inducing);
    for (std::int64_t i = 0; i < m; ++i) {
        kernel_functions().row(centers_, inducing.row(i), kernel, i, m, prior_.row(i));
        prior_.row(i)[i] = kernel.variance * (1.0 + jitter);
    }
    if (!prior_.factorize(threads)) return false;
    prior_.inverse_root(root_.data(), threads);
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < m; ++j) root_transposed_[i * width_ + j] = root_[j * stride() + i];
    }
    whiten(points, values, kernel, threads);
    sum_chunks();
    for (std::int64_t i = 0; i < m; ++i) {
        std::copy_n(partial_.data() + i * width_, m, posterior_.row(i));
        posterior_.row(i)[i] += 1.0;
    }
    if (!posterior_.factorize(threads)) return false;
    posterior_.inverse_root(posterior_root_.data(), threads);
    posterior_.multiply_root(posterior_root_.data(), partial_.data() + m * width_, outputs_, projected_.data(),
                             threads);
    LineVector<double> between(weights_.size());
    posterior_.multiply_root_transposed(posterior_root_.data(), projected_.data(), outputs_, between.data(), threads);
    prior_.multiply_root_transposed(root_.data(), between.data(), outputs_, weights_.data(), threads);
    double log_lambda = 0.0;
    for (double lambda : lambda_) log_lambda += std::log(lambda);
    const auto squared = [](const LineVector<double>& x) {
        return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    };
    const double outputs = static_cast<double>(outputs_);
    const double constant = static_cast<double>(points_) * outputs * std::log(2.0 * std::numbers::pi);
    log_likelihood_ = -0.5 * (constant + outputs * (log_lambda + posterior_.log_determinant()) +
                              squared(scaled_values_) - squared(projected_));
    return true;
}

void InducingFactors::posterior_root(double* out) const {
    const std::int64_t m = centers_.size();
    const Scratch::Lease<double> memory(linalg::product_workspace);
    std::fill_n(out, m * stride(), 0.0);
    add_product(m, m, m, 1.0, {posterior_root_.data(), stride(), 1}, {root_.data(), stride()}, out, stride(),
                memory.data());
}

}  // namespace rigcast::synthesis
