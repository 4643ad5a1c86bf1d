#include <algorithm>
#include <cstdint>
#include <vector>

#include "rigcast/inverse/frames/solve_frames.h"
#include "rigcast/inverse/solve.h"
#include "rigcast/optimize/coupled/solve_coupled.h"

namespace rigcast::inverse {
namespace {

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
    Descent(const RigGram& gram, const Problem& problem, const DescentOptions& options)
        : gram_(gram), problem_(problem), options_(options), sharpness_(gram.sharpness()), scale_(problem.scale()) {
        for (const double scale : scale_) thresholds_.push_back(sharpness_ * options.tolerance * scale);
    }

    void solve(const optimize::ShotResult& result) const;
    void finish(const optimize::ShotResult& result) const;

private:
    optimize::ShotOptions shot_options(std::int64_t begin, std::int64_t end, bool coupled) const;
    void solve_frames_alone(const optimize::ShotResult& result) const;
    void solve_with_bending(const optimize::ShotResult& result) const;
    void copy_to_tied_shapes(View<double, 2> weights) const;
    void accept_within_tolerance(const optimize::ShotResult& result) const;
    void share_between_duplicates(View<double, 2> weights) const;
    bool may_share(std::int32_t i, std::int32_t j) const;

    const RigGram& gram_;
    const Problem& problem_;
    const DescentOptions& options_;
    double sharpness_;                // RigGram::sharpness
    std::vector<double> scale_;       // (T): Problem::scale
    std::vector<double> thresholds_;  // (T)
};

optimize::ShotOptions Descent::shot_options(std::int64_t begin, std::int64_t end, bool coupled) const {
    const bool is_dependent = sharpness_ < 1.0 && !coupled;
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
    optimize::Shot whole = problem_.shot();
    whole.bending = {none.data(), {result.weights.extent(1)}};
    for (std::int64_t begin = 0; begin < frames; begin += frames_per_report) {
        const std::int64_t end = std::min(begin + frames_per_report, frames);
        solve_frames(problem_.products(), gram_.matrix(), frames_of(whole, begin, end), shot_options(begin, end, false),
                     frames_of(result, begin, end));
        if (options_.solved) options_.solved(end);
    }
}

void Descent::solve_with_bending(const optimize::ShotResult& result) const {
    const std::int64_t frames = result.weights.extent(0);
    std::vector<double> bending(static_cast<std::size_t>(result.weights.extent(1)), 0.0);
    for (const std::int32_t k : problem_.ties()) bending[k] += problem_.smoothness();
    optimize::Shot shot = problem_.shot();
    shot.bending = {bending.data(), {result.weights.extent(1)}};
    if (!options_.coupled) {
        solve_frames(problem_.products(), gram_.matrix(), shot, shot_options(0, frames, false), result);
        return;
    }
    solve_frames_alone(result);
    const std::vector<std::int64_t> before(result.iterations.begin(), result.iterations.end());
    std::fill(result.iterations.begin(), result.iterations.end(), 0);
    optimize::solve_coupled(problem_.products(), gram_.matrix(), shot, shot_options(0, frames, true), result);
    for (std::int64_t t = 0; t < frames; ++t) result.iterations(t) += before[t];
}

/// Writes the weight of a variable to all shapes that are tied to it.
void Descent::copy_to_tied_shapes(View<double, 2> weights) const {
    for (std::int64_t t = 0; t < weights.extent(0); ++t) {
        for (std::int64_t k = 0; k < weights.extent(1); ++k) weights(t, k) = weights(t, problem_.ties()(k));
    }
}

/// If the tolerance was sharpened, frames that reached the tolerance itself count as converged.
void Descent::accept_within_tolerance(const optimize::ShotResult& result) const {
    if (!(sharpness_ < 1.0)) return;
    const WeightQuality found = problem_.measure(gram_, result.weights, !options_.coupled, options_.threads);
    for (std::size_t t = 0; t < scale_.size(); ++t) {
        if (found.optimality[t] <= options_.tolerance * scale_[t]) result.converged(t) = true;
    }
}

/// Returns true if the objective does not depend on how the weight of two equal columns is divided: neither shape is
/// tied or has a prior, and there is no temporal term.
bool Descent::may_share(std::int32_t i, std::int32_t j) const {
    const auto num_shapes = [&](std::int32_t k) {
        return std::count(problem_.ties().begin(), problem_.ties().end(), k);
    };
    if (problem_.ties()(i) != i || problem_.ties()(j) != j || num_shapes(i) + num_shapes(j) != 2) return false;
    for (std::int64_t t = 0; t < problem_.num_frames(); ++t) {
        if (problem_.prior_strength()(t, i) != 0.0 || problem_.prior_strength()(t, j) != 0.0) return false;
    }
    return problem_.smoothness() == 0.0;
}

void Descent::share_between_duplicates(View<double, 2> weights) const {
    const optimize::Shot shot = problem_.shot();
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
    if (problem_.smoothness() > 0.0) {
        solve_with_bending(result);
    } else {
        solve_frames_alone(result);
    }
    finish(result);
}

void Descent::finish(const optimize::ShotResult& result) const {
    copy_to_tied_shapes(result.weights);
    accept_within_tolerance(result);
    share_between_duplicates(result.weights);
}

}  // namespace

void descend(const RigGram& gram, const Problem& problem, const DescentOptions& options,
             const optimize::ShotResult& result) {
    problem.check_gram(gram);
    Descent(gram, problem, options).solve(result);
}

void finish_descent(const RigGram& gram, const Problem& problem, const DescentOptions& options,
                    const optimize::ShotResult& result) {
    problem.check_gram(gram);
    Descent(gram, problem, options).finish(result);
}

}  // namespace rigcast::inverse
