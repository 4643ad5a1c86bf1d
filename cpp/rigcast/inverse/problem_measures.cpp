#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/inverse/problem.h"
#include "rigcast/linalg/pairwise_sum.h"

namespace rigcast::inverse {
namespace {

/// (T, K): half the gradient of the squared second differences of the weights, summed over the shapes of a variable. If
/// `causal`, each difference is differentiated in the last of its three frames only.
std::vector<double> bending_gradient(View<const double, 2> weights, View<const std::int32_t, 1> ties, bool causal) {
    const std::int64_t frames = weights.extent(0);
    const std::int64_t shapes = weights.extent(1);
    const auto bend = [&](std::int64_t t, std::int64_t k) {
        return (weights(t + 2, k) - weights(t + 1, k)) - (weights(t + 1, k) - weights(t, k));
    };
    std::vector<double> gradient(static_cast<std::size_t>(frames * shapes), 0.0);
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::int64_t k = 0; k < shapes; ++k) {
            double sum = 0.0;
            if (!causal && t + 2 < frames) sum += bend(t, k);
            if (!causal && t >= 1 && t + 1 < frames) sum -= 2.0 * bend(t - 1, k);
            if (t >= 2) sum += bend(t - 2, k);
            gradient[t * shapes + ties(k)] += sum;
        }
    }
    return gradient;
}

/// The larger of two numbers, NaN if one is NaN.
double larger(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}

/// The arrays of a vertices' term that is measured here.
struct VertexMeasures {
    std::vector<double> fidelity;
    std::vector<double> right;
    std::vector<double> left;

    VertexMeasures(std::int64_t frames, std::int64_t shapes)
        : fidelity(static_cast<std::size_t>(frames)),
          right(static_cast<std::size_t>(frames * shapes)),
          left(right.size()) {}
    optimize::FrameMeasures views(std::int64_t frames, std::int64_t shapes) {
        return {{fidelity.data(), {frames}}, {right.data(), {frames, shapes}}, {left.data(), {frames, shapes}}};
    }
};

}  // namespace

std::vector<double> Problem::scale() const {
    const auto larger_size = [](double a, double b) { return std::max(a, std::abs(b)); };
    std::vector<double> pull;
    for (std::int64_t t = 0; t < num_frames_; ++t) {
        const double* row = projections().row(t);
        const double target = std::accumulate(row, row + num_columns_, 0.0, larger_size);
        double prior = 0.0;
        for (std::int64_t k = 0; k < num_shapes_; ++k) {
            prior = std::max(prior, prior_strength()(t, k) * std::abs(prior_target()(t, k)));
        }
        pull.push_back(std::max(2.0 * target + alpha_ + 2.0 * prior, least_pull_));
    }
    return pull;
}

double Problem::resting_alpha(const RigGram& gram, int threads) const {
    check_gram(gram);
    const Problem alone = with_alpha(0.0).starting_at({});
    const std::vector<double> rest = alone.start();
    VertexMeasures measures(num_frames_, num_shapes_);
    optimize::measure_frames(products(), gram.matrix(), vertices_alone(), {rest.data(), {num_frames_, num_shapes_}},
                             threads, measures.views(num_frames_, num_shapes_));
    const optimize::Shot terms = alone.shot();
    double largest = 0.0;
    for (std::int64_t k = 0; k < num_shapes_; ++k) {
        // Tied weights count alpha once each.
        const double members =
            static_cast<double>(std::max<std::int64_t>(std::count(ties_->begin(), ties_->end(), k), 1));
        for (std::int64_t t = 0; t < num_frames_; ++t) {
            const double weight = rest[t * num_shapes_ + k];
            if (!(weight < upper()(t, k))) continue;
            const double slope =
                measures.right[t * num_shapes_ + k] + terms.linear(t, k) + 2.0 * terms.quadratic(t, k) * weight;
            largest = std::max(largest, -slope / members);
        }
    }
    return largest;
}

std::vector<double> Problem::weight_terms(View<const double, 2> weights) const {
    check_shape<const double, 2>("weight_terms", "weights", weights, {num_frames_, num_shapes_});
    std::vector<double> sums;
    std::vector<double> terms(static_cast<std::size_t>(num_shapes_));
    for (std::int64_t t = 0; t < num_frames_; ++t) {
        for (std::int64_t k = 0; k < num_shapes_; ++k) {
            const double apart = weights(t, k) - prior_target()(t, k);
            terms[k] = alpha_ * weights(t, k) + prior_strength()(t, k) * (apart * apart);
        }
        sums.push_back(linalg::pairwise_sum(terms.data(), num_shapes_));
    }
    return sums;
}

WeightQuality Problem::measure(const RigGram& gram, View<const double, 2> weights, bool causal, int threads) const {
    check_shape<const double, 2>("measure", "weights", weights, {num_frames_, num_shapes_});
    check_threads("measure", threads);
    check_gram(gram);
    VertexMeasures measures(num_frames_, num_shapes_);
    const optimize::FrameMeasures views = measures.views(num_frames_, num_shapes_);
    optimize::measure_frames(products(), gram.matrix(), vertices_alone(), weights, threads, views);
    return measure(gram, weights, views, causal);
}

WeightQuality Problem::measure(const RigGram& gram, View<const double, 2> weights,
                               const optimize::FrameMeasures& vertices, bool causal) const {
    check_shape<const double, 2>("measure", "weights", weights, {num_frames_, num_shapes_});
    const optimize::Shot terms = shot();
    const bool is_smooth = smoothness_ > 0.0;
    const std::vector<double> bending = is_smooth ? bending_gradient(weights, ties(), causal) : std::vector<double>();
    const bool has_gap = products().is_linear() && !is_smooth;
    WeightQuality quality;
    const std::vector<double> others = weight_terms(weights);
    std::vector<double> gains(static_cast<std::size_t>(num_shapes_));
    for (std::int64_t t = 0; t < num_frames_; ++t) {
        double worst = 0.0;
        for (std::int64_t k = 0; k < num_shapes_; ++k) {
            const double w = weights(t, k);
            const double slope = terms.linear(t, k) + 2.0 * terms.quadratic(t, k) * w;
            const double bend = is_smooth ? 2.0 * smoothness_ * bending[t * num_shapes_ + k] : 0.0;
            const double right = vertices.right(t, k) + slope + bend;
            const double left = vertices.left(t, k) + slope + bend;
            if (w < terms.upper(t, k)) worst = larger(worst, -right);
            if (w > terms.lower(t, k)) worst = larger(worst, left);
            gains[k] = right * (w - (right > 0.0 ? terms.lower(t, k) : terms.upper(t, k)));
        }
        const double fidelity = vertices.objective(t) + energies()(t);
        quality.objective.push_back(fidelity + others[t]);
        quality.optimality.push_back(worst);
        quality.rmse.push_back(std::sqrt(larger(fidelity, 0.0) / gram.total_weight()));
        if (has_gap) quality.gap.push_back(linalg::pairwise_sum(gains.data(), num_shapes_));
        if (std::isfinite(quality.objective.back()) && std::isfinite(worst)) continue;
        throw NumericalError("solve: the objective overflows at frame " + std::to_string(t) +
                             "; bring targets, bounds and terms to a common scale");
    }
    return quality;
}

}  // namespace rigcast::inverse
