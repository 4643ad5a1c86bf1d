#include "rigcast/synthesis/latent/exact_factors.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "rigcast/core/parallel.h"

namespace rigcast::synthesis {

ExactFactors::ExactFactors(std::int64_t points, std::int64_t outputs)
    : outputs_(outputs),
      matrix_(points),
      root_(static_cast<std::size_t>(points * matrix_.stride())),
      whitened_(static_cast<std::size_t>(points * outputs)),
      weights_(static_cast<std::size_t>(points * outputs)) {}

bool ExactFactors::factorize(View<const double, 2> points, View<const double, 2> values, const Kernel& kernel,
                             int threads) {
    const std::int64_t count = points.extent(0);
    centers_.set(points);
    parallel_for(count, 32, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            kernel_functions().row(centers_, points.row(i), kernel, i, count, matrix_.row(i));
            matrix_.row(i)[i] = kernel.variance + kernel.noise;
        }
    });
    if (!matrix_.factorize(threads)) return false;
    matrix_.inverse_root(root_.data(), threads);
    matrix_.multiply_root(root_.data(), values.data(), outputs_, whitened_.data(), threads);
    matrix_.multiply_root_transposed(root_.data(), whitened_.data(), outputs_, weights_.data(), threads);
    const double squared = std::inner_product(whitened_.begin(), whitened_.end(), whitened_.begin(), 0.0);
    const double constant = static_cast<double>(count * outputs_) * std::log(2.0 * std::numbers::pi);
    log_likelihood_ = -0.5 * (constant + static_cast<double>(outputs_) * matrix_.log_determinant() + squared);
    return true;
}

}  // namespace rigcast::synthesis
