#include <algorithm>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/synthesis/latent/exact_factors.h"

namespace rigcast::synthesis {
namespace {

/// Rows of pairs per piece of parallel work; each piece has sums of its own.
constexpr std::int64_t rows_per_piece = 64;

}  // namespace

/// With G = (a a^T - P K^-1) / 2, a = K^-1 Y, the likelihood changes by sum_ij G_ij dK_ij. Each pair i > j counts
/// twice.
void ExactFactors::add_gradient(View<const double, 2> points, const Kernel& kernel, View<double, 2> by_points,
                                double* by_kernel, int threads) {
    const std::int64_t count = points.extent(0);
    const std::int64_t dimension = points.extent(1);
    const std::int64_t width = centers_.stride();
    inverse_.resize(root_.size());
    matrix_.inverse(root_.data(), inverse_.data(), threads);
    LineVector<double> solved(static_cast<std::size_t>(outputs_ * width), 0.0);
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t p = 0; p < outputs_; ++p) solved[p * width + i] = weights_[i * outputs_ + p];
    }
    const std::int64_t pieces = (count + rows_per_piece - 1) / rows_per_piece;
    const std::int64_t numbers_per_piece = dimension * width + 8;  // moved points, then three sums
    LineVector<double> sums(static_cast<std::size_t>(pieces * numbers_per_piece), 0.0);
    const double inverse_square = 1.0 / (kernel.length * kernel.length);
    parallel_for(count, rows_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(width + dimension);
        double* own = memory.data() + width;
        double* moved = sums.data() + begin / rows_per_piece * numbers_per_piece;
        double* totals = moved + dimension * width;
        for (std::int64_t i = begin; i < end; ++i) {
            const double* inverse = inverse_.data() + i * stride();
            totals[0] +=
                kernel_functions().weigh_pairs(centers_, i, kernel, solved.data(), outputs_, inverse, memory.data());
            std::fill_n(own, dimension, 0.0);
            totals[1] += kernel_functions().spread(centers_, points.row(i), memory.data(), i, own, moved);
            for (std::int64_t a = 0; a < dimension; ++a) by_points(i, a) += inverse_square * own[a];
            double squared = 0.0;
            for (std::int64_t p = 0; p < outputs_; ++p)
                squared += weights_[i * outputs_ + p] * weights_[i * outputs_ + p];
            totals[2] += 0.5 * (squared - static_cast<double>(outputs_) * inverse[i]);
        }
    });
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
        const double* moved = sums.data() + piece * numbers_per_piece;
        const double* totals = moved + dimension * width;
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t a = 0; a < dimension; ++a) by_points(i, a) += inverse_square * moved[a * width + i];
        }
        by_kernel[0] += totals[0] + kernel.variance * totals[2];
        by_kernel[1] += inverse_square * totals[1];
        by_kernel[2] += kernel.noise * totals[2];
    }
}

}  // namespace rigcast::synthesis
