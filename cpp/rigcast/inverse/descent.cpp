#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "rigcast/inverse/frames/solve_frames.h"
#include "rigcast/inverse/solve.h"
#include "rigcast/optimize/coupled/solve_coupled.h"
#include "rigcast/optimize/products/measure_frames.h"

namespace rigcast::inverse {
namespace {

// Of the largest entry of the Gram matrix: a smaller pull is that of a target at rest. Chosen, not tuned.
constexpr double least_pull_ratio = 1e-6;
// Least independence (a sine) below which the tolerance is sharpened: a smaller one leaves wrong weights of nearly
// dependent shapes, a larger one costs iterations on other rigs. Chosen, not tuned.
constexpr double nearly_dependent = 1e-3;
constexpr double least_sharpness = 1e-5;  // gradients below tolerance times this are rounding
constexpr std::int64_t frames_per_report = 4 * frames_per_run;
// Iterations of a frame. Nearly dependent shapes need more: combinations bend the valleys between them.
constexpr std::int64_t max_iterations_independent = 200;
constexpr std::int64_t max_iterations_dependent = 2000;

template <class T>
View<T, 2> frames_of(View<T, 2> all, std::int64_t begin, std::int64_t end) {
    return {all.row(begin), {end - begin, all.extent(1)}};
}
template <class T>
View<T, 1> frames_of(View<T, 1> all, std::int64_t begin, std::int64_t end) {
    return {all.data() + begin, {end - begin}};
}

optimize::Shot frames_of(const optimize::Shot& shot, std::int64_t begin, std::int64_t end) {
    return {frames_of(shot.projections, begin, end), frames_of(shot.linear, begin, end),
            frames_of(shot.quadratic, begin, end),   frames_of(shot.lower, begin, end),
            frames_of(shot.upper, begin, end),       shot.bending};
}

optimize::ShotResult frames_of(const optimize::ShotResult& result, std::int64_t begin, std::int64_t end) {
    return {frames_of(result.weights, begin, end), frames_of(result.iterations, begin, end),
            frames_of(result.converged, begin, end)};
}

class Descent {
public:
    Descent(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
            const DescentOptions& options)
        : products_(products), gram_(gram), problem_(problem), options_(options), pull_(target_pull(gram, problem)) {
        for (const double pull : pull_) thresholds_.push_back(options.sharpness * options.tolerance * pull);
    }

    void solve(const optimize::ShotResult& result) const;

private:
    optimize::ShotOptions shot_options(std::int64_t begin, std::int64_t end, bool coupled) const;
    void solve_frames_alone(const optimize::ShotResult& result) const;
    void solve_with_bending(const optimize::ShotResult& result) const;
    void copy_to_tied_shapes(View<double, 2> weights) const;
    void accept_within_tolerance(const optimize::ShotResult& result) const;
    void share_between_duplicates(View<double, 2> weights) const;
    bool may_share(std::int32_t i, std::int32_t j) const;

    const optimize::ProductModel& products_;
    const RigGram& gram_;
    const WeightProblem& problem_;
    const DescentOptions& options_;
    std::vector<double> pull_;        // (T): target_pull
    std::vector<double> thresholds_;  // (T)
};

optimize::ShotOptions Descent::shot_options(std::int64_t begin, std::int64_t end, bool coupled) const {
    const bool is_dependent = options_.sharpness < 1.0 && !coupled;
    const std::int64_t most = is_dependent ? max_iterations_dependent : max_iterations_independent;
    return {{thresholds_.data() + begin, {end - begin}},
            options_.max_iterations > 0 ? options_.max_iterations : most,
            options_.threads,
            options_.report};
}

/// Solves all frames without the temporal term; reports progress between groups of frames.
void Descent::solve_frames_alone(const optimize::ShotResult& result) const {
    const std::int64_t frames = result.weights.extent(0);
    const std::vector<double> none(static_cast<std::size_t>(result.weights.extent(1)), 0.0);
    optimize::Shot whole = problem_.shot;
    whole.bending = {none.data(), {result.weights.extent(1)}};
    for (std::int64_t begin = 0; begin < frames; begin += frames_per_report) {
        const std::int64_t end = std::min(begin + frames_per_report, frames);
        solve_frames(products_, gram_.matrix(), frames_of(whole, begin, end), shot_options(begin, end, false),
                     frames_of(result, begin, end));
        if (options_.solved) options_.solved(end);
    }
}

void Descent::solve_with_bending(const optimize::ShotResult& result) const {
    const std::int64_t frames = result.weights.extent(0);
    std::vector<double> bending(static_cast<std::size_t>(result.weights.extent(1)), 0.0);
    for (const std::int32_t k : problem_.ties) bending[k] += problem_.smoothness;
    optimize::Shot shot = problem_.shot;
    shot.bending = {bending.data(), {result.weights.extent(1)}};
    if (!options_.coupled) {
        solve_frames(products_, gram_.matrix(), shot, shot_options(0, frames, false), result);
        return;
    }
    solve_frames_alone(result);
    const std::vector<std::int64_t> before(result.iterations.begin(), result.iterations.end());
    std::fill(result.iterations.begin(), result.iterations.end(), 0);
    optimize::solve_coupled(products_, gram_.matrix(), shot, shot_options(0, frames, true), result);
    for (std::int64_t t = 0; t < frames; ++t) result.iterations(t) += before[t];
}

/// Writes the weight of a variable to all shapes that are tied to it.
void Descent::copy_to_tied_shapes(View<double, 2> weights) const {
    for (std::int64_t t = 0; t < weights.extent(0); ++t) {
        for (std::int64_t k = 0; k < weights.extent(1); ++k) weights(t, k) = weights(t, problem_.ties(k));
    }
}

/// If the tolerance was sharpened, frames that reached the tolerance itself count as converged.
void Descent::accept_within_tolerance(const optimize::ShotResult& result) const {
    if (!(options_.sharpness < 1.0)) return;
    const WeightQuality found =
        measure_weights(products_, gram_, problem_, result.weights, !options_.coupled, options_.threads);
    for (std::size_t t = 0; t < pull_.size(); ++t) {
        if (found.optimality[t] <= options_.tolerance * pull_[t]) result.converged(t) = true;
    }
}

/// Returns true if the objective does not depend on how the weight of two equal columns is divided: neither shape is
/// tied or has a prior, and there is no temporal term.
bool Descent::may_share(std::int32_t i, std::int32_t j) const {
    const auto num_shapes = [&](std::int32_t k) { return std::count(problem_.ties.begin(), problem_.ties.end(), k); };
    if (problem_.ties(i) != i || problem_.ties(j) != j || num_shapes(i) + num_shapes(j) != 2) return false;
    for (std::int64_t t = 0; t < problem_.prior_strength.extent(0); ++t) {
        if (problem_.prior_strength(t, i) != 0.0 || problem_.prior_strength(t, j) != 0.0) return false;
    }
    return problem_.smoothness == 0.0;
}

void Descent::share_between_duplicates(View<double, 2> weights) const {
    const optimize::Shot& shot = problem_.shot;
    for (const auto& [i, j] : gram_.duplicates()) {
        if (!may_share(i, j)) continue;
        for (std::int64_t t = 0; t < weights.extent(0); ++t) {
            const double total = weights(t, i) + weights(t, j);
            const double first = std::min(total - shot.lower(t, j), shot.upper(t, i));
            weights(t, i) = first;
            weights(t, j) = std::min(std::max(total - first, shot.lower(t, j)), shot.upper(t, j));
        }
    }
}

void Descent::solve(const optimize::ShotResult& result) const {
    std::fill(result.iterations.begin(), result.iterations.end(), 0);
    if (problem_.smoothness > 0.0) {
        solve_with_bending(result);
    } else {
        solve_frames_alone(result);
    }
    copy_to_tied_shapes(result.weights);
    accept_within_tolerance(result);
    share_between_duplicates(result.weights);
}

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

std::vector<double> target_pull(const RigGram& gram, const WeightProblem& problem) {
    double largest_column = 0.0;
    for (std::int64_t n = 0; n < gram.matrix().size(); ++n) {
        largest_column = std::max(largest_column, gram.matrix()(n, n));
    }
    const double least = std::max(least_pull_ratio * largest_column, std::numeric_limits<double>::min());
    std::vector<double> pull;
    const auto larger = [](double a, double b) { return std::max(a, std::abs(b)); };
    for (std::int64_t t = 0; t < problem.shot.projections.extent(0); ++t) {
        const double* projections = problem.shot.projections.row(t);
        const double target =
            std::accumulate(projections, projections + problem.shot.projections.extent(1), 0.0, larger);
        double prior = 0.0;
        for (std::int64_t k = 0; k < problem.prior_strength.extent(1); ++k) {
            prior = std::max(prior, problem.prior_strength(t, k) * std::abs(problem.prior_target(t, k)));
        }
        pull.push_back(std::max(2.0 * target + problem.alpha + 2.0 * prior, least));
    }
    return pull;
}

double descent_sharpness(double least_independence) {
    const double ratio = least_independence / nearly_dependent;
    return std::clamp(ratio * ratio, least_sharpness, 1.0);
}

void descend(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
             const DescentOptions& options, const optimize::ShotResult& result) {
    Descent(products, gram, problem, options).solve(result);
}

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
