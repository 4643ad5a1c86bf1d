#include "rigwright/inverse/solve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rigwright/core/check.h"
#include "rigwright/core/error.h"
#include "rigwright/inverse/weight_box.h"
#include "rigwright/inverse/weight_quality.h"

namespace rigwright::inverse {
namespace {

constexpr double largest_entry = 1e200;  // of the Gram matrix and of a frame's energy

View<const double, 2> view(const std::vector<double>& numbers, std::int64_t rows, std::int64_t columns) {
    return {numbers.data(), {rows, columns}};
}

/// Arrays of a WeightProblem.
class ShotTerms {
public:
    ShotTerms(const RigGram& gram, const ShotTargets& shot, int threads)
        : frames_(shot.targets.extent(0)), shapes_(gram.rig().num_shapes()), columns_(gram.rig().num_columns()) {
        check(gram, shot);
        box_ = make_box(gram, shot);
        read_priors(shot);
        check_sizes(shot);
        add_linear(shot.alpha);
        project(gram, shot, threads);
        problem_.shot = {view(projections_, frames_, columns_),
                         terms(linear_),
                         terms(quadratic_),
                         terms(box_.lower),
                         terms(box_.upper),
                         {}};
        problem_.prior_target = terms(prior_target_);
        problem_.prior_strength = terms(prior_strength_);
        problem_.ties = {box_.ties.data(), {shapes_}};
        problem_.alpha = shot.alpha;
        problem_.smoothness = shot.smoothness;
    }
    ShotTerms(const ShotTerms&) = delete;
    ShotTerms& operator=(const ShotTerms&) = delete;

    const WeightProblem& problem() const { return problem_; }
    const std::vector<double>& energies() const { return energies_; }
    std::vector<double> start(const ShotTargets& shot) const;

private:
    View<const double, 2> terms(const std::vector<double>& numbers) const { return view(numbers, frames_, shapes_); }
    void check(const RigGram& gram, const ShotTargets& shot) const;
    void check_sizes(const ShotTargets& shot) const;
    void read_priors(const ShotTargets& shot);
    void add_linear(double alpha);
    void project(const RigGram& gram, const ShotTargets& shot, int threads);

    std::int64_t frames_, shapes_, columns_;
    WeightBox box_;
    std::vector<double> projections_, energies_, prior_target_, prior_strength_, linear_, quadratic_;
    WeightProblem problem_;
};

void ShotTerms::check(const RigGram& gram, const ShotTargets& shot) const {
    const std::int64_t all = gram.rig().character().num_vertices(), chosen = gram.projection().num_vertices();
    const std::int64_t given = shot.targets.extent(1);
    if ((given != all && given != chosen) || shot.targets.extent(2) != 3) {
        throw bad_argument("solve", "targets", describe_shape<3>(shot.targets.extents()),
                           "(T, " + std::to_string(all) + ", 3) or (T, " + std::to_string(chosen) + ", 3)");
    }
    if (frames_ == 0) throw bad_argument("solve", "targets", "an empty shot", "at least one frame");
    for (const auto& [name, value] : {std::pair{"alpha", shot.alpha}, std::pair{"smoothness", shot.smoothness}}) {
        if (std::isfinite(value) && value >= 0.0) continue;
        throw bad_argument("solve", name, std::to_string(value), "a finite number >= 0");
    }
    for (std::int64_t n = 0; n < columns_; ++n) {
        if (gram.matrix()(n, n) <= largest_entry) continue;  // an entry is at most the largest of the diagonal
        throw bad_argument("solve", "vertex_weights", "so large that the objective would overflow", "smaller");
    }
    if ((shot.prior_target.data() == nullptr) != (shot.prior_strength.data() == nullptr)) {
        throw bad_argument("solve", "priors", "targets or strengths alone", "both or neither");
    }
}

void ShotTerms::check_sizes(const ShotTargets& shot) const {
    double largest = 0.0;
    for (const double x : box_.lower) largest = std::max(largest, std::abs(x));
    for (const double x : box_.upper) largest = std::max(largest, std::abs(x));
    const double size = 16.0 * static_cast<double>(frames_ * shapes_) * (1.0 + largest) * (1.0 + largest);
    for (const auto& [name, value] : {std::pair{"alpha", shot.alpha}, std::pair{"smoothness", shot.smoothness}}) {
        if (value <= largest_term / size) continue;
        throw bad_argument("solve", name, std::to_string(value), "so small that the objective does not overflow");
    }
}

void ShotTerms::read_priors(const ShotTargets& shot) {
    const auto size = static_cast<std::size_t>(frames_ * shapes_);
    prior_target_.assign(size, 0.0);
    prior_strength_.assign(size, 0.0);
    if (shot.prior_strength.data() == nullptr) return;
    check_shape<const double, 2>("solve", "prior_target", shot.prior_target, {frames_, shapes_});
    check_shape<const double, 2>("solve", "prior_strength", shot.prior_strength, {frames_, shapes_});
    check_finite("solve", "prior_target", shot.prior_target);
    check_finite("solve", "prior_strength", shot.prior_strength);
    for (std::size_t i = 0; i < size; ++i) {
        const double target = shot.prior_target.data()[i], strength = shot.prior_strength.data()[i];
        if (strength < 0.0) {
            throw bad_argument("solve", "prior_strength", std::to_string(strength) + " somewhere", "strengths >= 0");
        }
        if (!(2.0 * strength * (1.0 + std::abs(target) + target * target) <=
              largest_term / static_cast<double>(size))) {
            throw bad_argument("solve", "priors", "so large that their terms overflow", "smaller");
        }
        prior_target_[i] = target;
        prior_strength_[i] = strength;
    }
}

/// Linear and quadratic terms of the variables: that of tied shapes, the first of them, carries the terms of both.
void ShotTerms::add_linear(double alpha) {
    linear_.resize(prior_target_.size());
    quadratic_ = prior_strength_;
    for (std::size_t i = 0; i < linear_.size(); ++i) linear_[i] = alpha - 2.0 * prior_strength_[i] * prior_target_[i];
    for (std::int64_t t = 0; t < frames_; ++t) {
        for (std::int64_t k = 0; k < shapes_; ++k) {
            const std::int64_t own = t * shapes_ + k, variable = t * shapes_ + box_.ties[k];
            if (own == variable) continue;
            linear_[variable] += std::exchange(linear_[own], 0.0);
            quadratic_[variable] += std::exchange(quadratic_[own], 0.0);
        }
    }
}

void ShotTerms::project(const RigGram& gram, const ShotTargets& shot, int threads) {
    projections_.resize(static_cast<std::size_t>(frames_ * columns_));
    energies_.resize(static_cast<std::size_t>(frames_));
    const bool all = shot.targets.extent(1) == gram.rig().character().num_vertices();
    gram.projection().project(shot.targets, all, {projections_.data(), {frames_, columns_}},
                              {energies_.data(), {frames_}}, threads);
    for (std::int64_t t = 0; t < frames_; ++t) {
        if (energies_[t] <= largest_entry) continue;  // false for NaN: a weight of 0 hides infinity from no sum
        throw bad_argument("solve", "targets", "not finite or too large at frame " + std::to_string(t),
                           "finite on all vertices");
    }
}

/// What was given, pins first and equal for tied shapes, or the point of the box nearest to zero.
std::vector<double> ShotTerms::start(const ShotTargets& shot) const {
    std::vector<double> start(box_.lower.size());
    if (shot.start.data() != nullptr) {
        check_shape<const double, 2>("solve", "start", shot.start, {frames_, shapes_});
        check_finite("solve", "start", shot.start);
    }
    for (std::int64_t t = 0; t < frames_; ++t) {
        for (std::int64_t k = 0; k < shapes_; ++k) {
            const std::int64_t i = t * shapes_ + k;
            const double low = box_.lower[i], high = box_.upper[i];
            const double own = shot.start.data() == nullptr ? 0.0 : shot.start(t, k);
            if (shot.start.data() != nullptr && low != high && !(own >= low && own <= high)) {
                throw bad_argument("solve", "start", std::to_string(own) + " at " + describe_place(shot.start, i),
                                   "inside the bounds");
            }
            const double from = shot.start.data() == nullptr ? 0.0 : shot.start(t, box_.ties[k]);
            start[i] = std::min(std::max(from, low), high);
        }
    }
    return start;
}

/// Objective and RMSE of each frame from its fidelity.
void add_figures(const RigGram& gram, const ShotTerms& terms, const WeightQuality& quality, ShotWeights& found) {
    const WeightProblem& problem = terms.problem();
    for (std::int64_t t = 0; t < found.num_frames; ++t) {
        const double fidelity = quality.fidelity[t] + terms.energies()[t];
        double other = 0.0;
        for (std::int64_t k = 0; k < found.num_shapes; ++k) {
            const double off = found.weight(t, k) - problem.prior_target(t, k);
            other += problem.alpha * found.weight(t, k) + problem.prior_strength(t, k) * off * off;
        }
        found.objective.push_back(fidelity + other);
        found.rmse.push_back(std::sqrt(std::max(fidelity, 0.0) / gram.total_weight()));
        if (!std::isfinite(found.objective.back()) || !std::isfinite(quality.optimality[t])) {
            throw NumericalError("solve: overflow; bring targets, bounds and terms to a common scale");
        }
    }
}

}  // namespace

ShotWeights solve(const RigGram& gram, const ShotTargets& shot, const DescentOptions& options) {
    check_threads("solve", options.threads);
    const ShotTerms terms(gram, shot, options.threads);
    const optimize::ProductModel products = rig_products(gram.rig(), terms.problem().ties);
    ShotWeights found{shot.targets.extent(0), gram.rig().num_shapes(), terms.start(shot), {}, {}, {}, {}, {}};
    const std::int64_t frames = found.num_frames;
    found.iterations.resize(static_cast<std::size_t>(frames));
    const auto converged = std::make_unique<bool[]>(static_cast<std::size_t>(frames));
    DescentOptions own = options;
    own.sharpness = descent_sharpness(gram.least_independence());
    const View<double, 2> weights(found.weights.data(), {frames, found.num_shapes});
    descend(products, gram, terms.problem(), own,
            {weights, {found.iterations.data(), {frames}}, {converged.get(), {frames}}});
    found.converged.assign(converged.get(), converged.get() + frames);
    WeightQuality quality = measure_weights(products, gram, terms.problem(), weights, !options.joint, options.threads);
    add_figures(gram, terms, quality, found);
    found.optimality = std::move(quality.optimality);
    return found;
}

}  // namespace rigwright::inverse
