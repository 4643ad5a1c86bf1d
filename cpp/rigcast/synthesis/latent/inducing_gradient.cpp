#include <algorithm>
#include <cmath>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/dense/product.h"
#include "rigcast/synthesis/latent/inducing_factors.h"

namespace rigcast::synthesis {

using linalg::add_product;

/// Letters: v_n = R k_n, T = S^T S = (I + sum v v^T / lambda)^-1, b = weights(), a_n = (y_n - b^T k_n) / lambda_n, and
/// r_n = |a_n|^2 - P (1 / lambda_n - v_n^T T v_n / lambda_n^2), the diagonal of a a^T - P (Q + Lambda)^-1.
struct InducingFactors::ChunkGradient {
    View<const double, 2> points;
    View<const double, 2> values;
    const Kernel& kernel;
    const double* posterior;  // T (M, M), rows width_ apart
    const double* weights;    // b transposed, (P, width_)
    View<double, 2> by_points;
    double* sums;                    // (chunks, numbers_per_chunk)
    std::int64_t numbers_per_chunk;  // moved inducing points (D, stride), sum r v v^T (M, width_), three sums
};

/// Working memory of a chunk of `count` frames.
struct InducingFactors::ChunkMemory {
    double* workspace;
    double* v;         // (count, width_)
    double* mixed;     // (count, width_)
    double* gradient;  // (count, width_)
    double* residual;  // (count, P) a
    double* own;       // (D)
    double* totals;    // (3), of the chunk's sums
};

InducingFactors::ChunkMemory InducingFactors::divide(double* memory, std::int64_t count, double* totals) const {
    double* v = memory + linalg::product_workspace;
    double* residual = v + 3 * count * width_;
    return {memory, v, v + count * width_, v + 2 * count * width_, residual, residual + count * outputs_, totals};
}

namespace {

double sum_of_squares(const double* x, std::int64_t n) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}

}  // namespace

/// a, r and the two sums of a chunk. Writes v, r v and P T v / lambda + r v.
void InducingFactors::mix_chunk(const ChunkGradient& task, const ChunkMemory& memory, std::int64_t begin,
                                std::int64_t count) {
    const std::int64_t m = centers_.size();
    const double outputs = static_cast<double>(outputs_);
    std::copy_n(task.values.row(begin), count * outputs_, memory.residual);
    add_product(count, outputs_, m, -1.0, {covariance_.data() + begin * width_, width_, 1}, {weights_.data(), outputs_},
                memory.residual, outputs_, memory.workspace);
    std::fill_n(memory.mixed, count * width_, 0.0);
    add_product(count, m, m, 1.0, {whitened_.data() + begin * width_, width_, 1}, {task.posterior, width_},
                memory.mixed, width_, memory.workspace);
    for (std::int64_t n = 0; n < count; ++n) {
        const double lambda = lambda_[begin + n];
        const double root = std::sqrt(lambda);
        const double* scaled = whitened_.data() + (begin + n) * width_;  // v / sqrt(lambda)
        double* t = memory.mixed + n * width_;                           // T v / sqrt(lambda)
        double* a = memory.residual + n * outputs_;
        for (std::int64_t p = 0; p < outputs_; ++p) a[p] /= lambda;
        const double r =
            sum_of_squares(a, outputs_) - outputs * (1.0 - kernel_functions().dot(scaled, t, width_)) / lambda;
        memory.totals[2] += r;
        for (std::int64_t j = 0; j < width_; ++j) {
            memory.v[n * width_ + j] = root * scaled[j];
            memory.gradient[n * width_ + j] = r * root * scaled[j];
            t[j] = outputs / root * t[j] + memory.gradient[n * width_ + j];
        }
    }
}

/// The likelihood changes by g_n . dk_n with g_n = b a_n - R^T (P T v_n / lambda_n + r_n v_n).
void InducingFactors::gradient_of_chunk(const ChunkGradient& task, std::int64_t begin, std::int64_t end) {
    const std::int64_t m = centers_.size();
    const std::int64_t count = end - begin;
    const std::int64_t dimension = centers_.dimension();
    const double inverse_square = 1.0 / (task.kernel.length * task.kernel.length);
    const Scratch::Lease<double> lease(linalg::product_workspace + count * (3 * width_ + outputs_) + dimension);
    double* moved = task.sums + begin / frames_per_chunk * task.numbers_per_chunk;
    double* products = moved + dimension * centers_.stride();
    const ChunkMemory memory = divide(lease.data(), count, products + m * width_);
    mix_chunk(task, memory, begin, count);
    add_product(m, m, count, 1.0, {memory.v, 1, width_}, {memory.gradient, width_}, products, width_, memory.workspace);
    std::fill_n(memory.gradient, count * width_, 0.0);
    add_product(count, m, outputs_, 1.0, {memory.residual, outputs_, 1}, {task.weights, width_}, memory.gradient,
                width_, memory.workspace);
    add_product(count, m, m, -1.0, {memory.mixed, width_, 1}, {root_.data(), stride()}, memory.gradient, width_,
                memory.workspace);
    for (std::int64_t n = 0; n < count; ++n) {
        double* weights = memory.gradient + n * width_;
        for (std::int64_t j = 0; j < m; ++j) {
            weights[j] *= covariance_[(begin + n) * width_ + j];
            memory.totals[0] += weights[j];
        }
        std::fill_n(memory.own, dimension, 0.0);
        memory.totals[1] +=
            kernel_functions().spread(centers_, task.points.row(begin + n), weights, m, memory.own, moved);
        for (std::int64_t a = 0; a < dimension; ++a) task.by_points(begin + n, a) += inverse_square * memory.own[a];
    }
}

/// The likelihood changes by sum_ij G_ij dK_mm,ij with G = -(b b^T - R^T (P (I - T) + sum r v v^T) R) / 2; `weighted`
/// is the sum in parentheses (M, width_).
void InducingFactors::gradient_of_inducing(View<const double, 2> inducing, const Kernel& kernel, const double* weighted,
                                           View<double, 2> by_inducing, double* by_kernel) {
    const std::int64_t m = inducing.extent(0);
    const std::int64_t dimension = inducing.extent(1);
    const std::int64_t width = centers_.stride();
    LineVector<double> half(static_cast<std::size_t>(m * width_), 0.0);
    LineVector<double> gradient(half.size(), 0.0);
    LineVector<double> transposed(static_cast<std::size_t>(outputs_ * width_), 0.0);
    LineVector<double> row(static_cast<std::size_t>(width));
    LineVector<double> moved(static_cast<std::size_t>(dimension * width), 0.0);
    const Scratch::Lease<double> memory(linalg::product_workspace);
    for (std::int64_t j = 0; j < m; ++j) {
        for (std::int64_t p = 0; p < outputs_; ++p) transposed[p * width_ + j] = weights_[j * outputs_ + p];
    }
    add_product(m, m, m, 1.0, {weighted, width_, 1}, {root_.data(), stride()}, half.data(), width_, memory.data());
    add_product(m, m, m, 0.5, {root_.data(), 1, stride()}, {half.data(), width_}, gradient.data(), width_,
                memory.data());
    add_product(m, m, outputs_, -0.5, {weights_.data(), outputs_, 1}, {transposed.data(), width_}, gradient.data(),
                width_, memory.data());
    const double inverse_square = 1.0 / (kernel.length * kernel.length);
    for (std::int64_t i = 0; i < m; ++i) {
        kernel_functions().row(centers_, inducing.row(i), kernel, 0, m, row.data());
        by_kernel[0] += jitter * kernel.variance * gradient[i * width_ + i];
        for (std::int64_t j = 0; j < m; ++j) {
            row[j] *= gradient[i * width_ + j];
            by_kernel[0] += row[j];
        }
        std::fill(row.begin() + m, row.end(), 0.0);
        LineVector<double> own(static_cast<std::size_t>(dimension), 0.0);
        by_kernel[1] += inverse_square *
                        kernel_functions().spread(centers_, inducing.row(i), row.data(), m, own.data(), moved.data());
        for (std::int64_t a = 0; a < dimension; ++a) by_inducing(i, a) += inverse_square * own[a];
    }
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t a = 0; a < dimension; ++a) by_inducing(i, a) += inverse_square * moved[a * width + i];
    }
}

void InducingFactors::add_gradient(View<const double, 2> points, View<const double, 2> inducing,
                                   View<const double, 2> values, const Kernel& kernel, View<double, 2> by_points,
                                   View<double, 2> by_inducing, double* by_kernel, int threads) {
    const std::int64_t m = inducing.extent(0);
    const std::int64_t dimension = inducing.extent(1);
    const std::int64_t width = centers_.stride();
    LineVector<double> posterior(static_cast<std::size_t>(m * width_), 0.0);
    LineVector<double> transposed(static_cast<std::size_t>(outputs_ * width_), 0.0);
    {
        const Scratch::Lease<double> memory(linalg::product_workspace);
        add_product(m, m, m, 1.0, {posterior_root_.data(), 1, stride()}, {posterior_root_.data(), stride()},
                    posterior.data(), width_, memory.data());
    }
    for (std::int64_t j = 0; j < m; ++j) {
        for (std::int64_t p = 0; p < outputs_; ++p) transposed[p * width_ + j] = weights_[j * outputs_ + p];
    }
    const std::int64_t numbers_per_chunk = dimension * width + m * width_ + 8;
    LineVector<double> sums(static_cast<std::size_t>(chunks() * numbers_per_chunk), 0.0);
    const ChunkGradient task{points,    values,      kernel,           posterior.data(), transposed.data(),
                             by_points, sums.data(), numbers_per_chunk};
    parallel_for(points_, frames_per_chunk, threads,
                 [&](std::int64_t begin, std::int64_t end) { gradient_of_chunk(task, begin, end); });
    for (std::int64_t chunk = 1; chunk < chunks(); ++chunk) {
        for (std::int64_t i = 0; i < numbers_per_chunk; ++i) sums[i] += sums[chunk * numbers_per_chunk + i];
    }
    const double inverse_square = 1.0 / (kernel.length * kernel.length);
    double* products = sums.data() + dimension * width;
    const double* totals = products + m * width_;
    for (std::int64_t j = 0; j < m; ++j) {
        for (std::int64_t a = 0; a < dimension; ++a) by_inducing(j, a) += inverse_square * sums[a * width + j];
    }
    by_kernel[0] += totals[0] + 0.5 * kernel.variance * totals[2];
    by_kernel[1] += inverse_square * totals[1];
    by_kernel[2] += 0.5 * kernel.noise * totals[2];
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < m; ++j) {
            products[i * width_ + j] +=
                static_cast<double>(outputs_) * ((i == j ? 1.0 : 0.0) - posterior[i * width_ + j]);
        }
    }
    gradient_of_inducing(inducing, kernel, products, by_inducing, by_kernel);
}

}  // namespace rigcast::synthesis
