#include "rigwright/inverse/descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rigwright/inverse/weight_quality.h"
#include "rigwright/optimize/coupled/solve_coupled.h"

namespace rigwright::inverse {
namespace {

constexpr double flattest = 1e-6;          // of the largest Gram entry: pulls below it are those of a resting face
constexpr double nearly_dependent = 1e-3;  // least independence below which the tolerance is sharpened
constexpr double sharpest = 1e-5;          // of the tolerance; below it there is rounding
constexpr std::int64_t frames_per_report = 4 * frames_per_run;
/// Steps of a frame: if shapes are nearly made up of others, corrections bend the valleys that lie between them.
constexpr std::int64_t most_steps = 200, most_steps_dependent = 2000;

template <class T>
View<T, 2> rows(View<T, 2> all, std::int64_t begin, std::int64_t end) {
    return {all.row(begin), {end - begin, all.extent(1)}};
}
template <class T>
View<T, 1> rows(View<T, 1> all, std::int64_t begin, std::int64_t end) {
    return {all.data() + begin, {end - begin}};
}

optimize::Shot rows(const optimize::Shot& shot, std::int64_t begin, std::int64_t end) {
    return {rows(shot.projections, begin, end), rows(shot.linear, begin, end), rows(shot.quadratic, begin, end),
            rows(shot.lower, begin, end),       rows(shot.upper, begin, end),  shot.bending};
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
    optimize::ShotOptions shot_options(std::int64_t begin, std::int64_t end, bool joint) const;
    void solve_each(const optimize::ShotResult& result) const;
    void solve_with_bending(const optimize::ShotResult& result) const;
    void expand_ties(View<double, 2> weights) const;
    void accept(const optimize::ShotResult& result) const;
    void share_between_duplicates(View<double, 2> weights) const;
    bool may_share(std::int32_t i, std::int32_t j) const;

    const optimize::ProductModel& products_;
    const RigGram& gram_;
    const WeightProblem& problem_;
    const DescentOptions& options_;
    std::vector<double> pull_, thresholds_;  // (T)
};

optimize::ShotOptions Descent::shot_options(std::int64_t begin, std::int64_t end, bool joint) const {
    const bool patient = options_.sharpness < 1.0 && !joint;
    const std::int64_t most = patient ? most_steps_dependent : most_steps;
    return {{thresholds_.data() + begin, {end - begin}},
            options_.max_iterations > 0 ? options_.max_iterations : most,
            options_.threads,
            options_.report};
}

/// Without the temporal term, in parts between which progress is reported.
void Descent::solve_each(const optimize::ShotResult& result) const {
    const std::int64_t frames = result.weights.extent(0);
    const std::vector<double> none(static_cast<std::size_t>(result.weights.extent(1)), 0.0);
    optimize::Shot whole = problem_.shot;
    whole.bending = {none.data(), {result.weights.extent(1)}};
    for (std::int64_t begin = 0; begin < frames; begin += frames_per_report) {
        const std::int64_t end = std::min(begin + frames_per_report, frames);
        const optimize::Shot part = rows(whole, begin, end);
        solve_frames(products_, gram_.matrix(), part, shot_options(begin, end, false),
                     {rows(result.weights, begin, end), rows(result.iterations, begin, end),
                      rows(result.converged, begin, end)});
        if (options_.solved) options_.solved(end);
    }
}

void Descent::solve_with_bending(const optimize::ShotResult& result) const {
    const std::int64_t frames = result.weights.extent(0);
    std::vector<double> bending(static_cast<std::size_t>(result.weights.extent(1)), 0.0);
    for (const std::int32_t k : problem_.ties) bending[k] += problem_.smoothness;
    optimize::Shot shot = problem_.shot;
    shot.bending = {bending.data(), {result.weights.extent(1)}};
    if (!options_.joint) {
        solve_frames(products_, gram_.matrix(), shot, shot_options(0, frames, false), result);
        return;
    }
    solve_each(result);
    const std::vector<std::int64_t> before(result.iterations.begin(), result.iterations.end());
    std::fill(result.iterations.begin(), result.iterations.end(), 0);
    optimize::solve_coupled(products_, gram_.matrix(), shot, shot_options(0, frames, true), result);
    for (std::int64_t t = 0; t < frames; ++t) result.iterations(t) += before[t];
}

/// Tied shapes get the weight of their variable, which is the first of them.
void Descent::expand_ties(View<double, 2> weights) const {
    for (std::int64_t t = 0; t < weights.extent(0); ++t) {
        for (std::int64_t k = 0; k < weights.extent(1); ++k) weights(t, k) = weights(t, problem_.ties(k));
    }
}

/// If more than the tolerance was asked for, frames that reached the tolerance are solved.
void Descent::accept(const optimize::ShotResult& result) const {
    if (!(options_.sharpness < 1.0)) return;
    const WeightQuality found =
        measure_weights(products_, gram_, problem_, result.weights, !options_.joint, options_.threads);
    for (std::size_t t = 0; t < pull_.size(); ++t) {
        if (found.optimality[t] <= options_.tolerance * pull_[t]) result.converged(t) = true;
    }
}

bool Descent::may_share(std::int32_t i, std::int32_t j) const {
    const auto uses = [&](std::int32_t k) { return std::count(problem_.ties.begin(), problem_.ties.end(), k); };
    if (problem_.ties(i) != i || problem_.ties(j) != j || uses(i) + uses(j) != 2) return false;
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
        solve_each(result);
    }
    expand_ties(result.weights);
    accept(result);
    share_between_duplicates(result.weights);
}

}  // namespace

std::vector<double> target_pull(const RigGram& gram, const WeightProblem& problem) {
    double largest_column = 0.0;
    for (std::int64_t n = 0; n < gram.matrix().size(); ++n)
        largest_column = std::max(largest_column, gram.matrix()(n, n));
    const double least = std::max(flattest * largest_column, std::numeric_limits<double>::min());
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
    const double part = least_independence / nearly_dependent;
    return std::clamp(part * part, sharpest, 1.0);
}

void descend(const optimize::ProductModel& products, const RigGram& gram, const WeightProblem& problem,
             const DescentOptions& options, const optimize::ShotResult& result) {
    Descent(products, gram, problem, options).solve(result);
}

}  // namespace rigwright::inverse
