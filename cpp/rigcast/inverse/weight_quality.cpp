#include "rigcast/inverse/weight_quality.h"

#include <algorithm>
#include <cstdint>

#include "rigcast/optimize/products/measure_frames.h"

namespace rigcast::inverse {
namespace {

/// Adds to `gradient` (T, K) half the gradient of the squared second differences of the weights, summed over the shapes
/// of a variable. If `causal`, each difference is differentiated in the last of its three frames only.
void add_bending_gradient(View<const double, 2> weights, View<const std::int32_t, 1> ties, bool causal,
                          View<double, 2> gradient) {
    for (std::int64_t t = 0; t + 2 < weights.extent(0); ++t) {
        for (std::int64_t k = 0; k < weights.extent(1); ++k) {
            const double bend = (weights(t + 2, k) - weights(t + 1, k)) - (weights(t + 1, k) - weights(t, k));
            gradient(t + 2, ties(k)) += bend;
            if (causal) continue;
            gradient(t, ties(k)) += bend;
            gradient(t + 1, ties(k)) -= 2.0 * bend;
        }
    }
}

}  // namespace

WeightQuality measure_weights(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
                              View<const double, 2> weights, bool causal, int threads) {
    const std::int64_t frames = weights.extent(0);
    const std::int64_t shapes = weights.extent(1);
    const auto size = static_cast<std::size_t>(frames * shapes);
    // The vertices' term is measured alone: added to strong priors its digits would be lost.
    const std::vector<double> zero(size, 0.0);
    optimize::Shot vertices_alone = problem.shot;
    vertices_alone.linear = {zero.data(), {frames, shapes}};
    vertices_alone.quadratic = vertices_alone.linear;
    WeightQuality quality;
    quality.fidelity.resize(static_cast<std::size_t>(frames));
    std::vector<double> right(size);
    std::vector<double> left(size);
    std::vector<double> bending(size, 0.0);
    optimize::measure_frames(
        products, gram.matrix(), vertices_alone, weights, threads,
        {{quality.fidelity.data(), {frames}}, {right.data(), {frames, shapes}}, {left.data(), {frames, shapes}}});
    if (problem.smoothness > 0.0) {
        add_bending_gradient(weights, problem.ties, causal, {bending.data(), {frames, shapes}});
    }
    for (std::int64_t t = 0; t < frames; ++t) {
        double worst = 0.0;
        for (std::int64_t k = 0; k < shapes; ++k) {
            const std::int64_t i = t * shapes + k;
            const double w = weights(t, k);
            const double slope = problem.shot.linear(t, k) + 2.0 * problem.shot.quadratic(t, k) * w;
            const double bend = 2.0 * problem.smoothness * bending[i];
            if (w < problem.shot.upper(t, k)) worst = std::max(worst, -(right[i] + slope + bend));
            if (w > problem.shot.lower(t, k)) worst = std::max(worst, left[i] + slope + bend);
        }
        quality.optimality.push_back(worst);
    }
    return quality;
}

}  // namespace rigcast::inverse
