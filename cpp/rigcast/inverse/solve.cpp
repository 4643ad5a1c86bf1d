#include "rigcast/inverse/solve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/inverse/rig_gram.h"

namespace rigcast::inverse {
namespace {

constexpr double largest_entry = 1e200;  // of the Gram matrix and of a frame's energy, far from overflow

View<const double, 2> view(const std::vector<double>& numbers, std::int64_t rows, std::int64_t columns) {
    return {numbers.data(), {rows, columns}};
}

/// Checks a shot and makes the arrays of its WeightProblem.
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
                         by_shape(linear_),
                         by_shape(quadratic_),
                         by_shape(box_.lower),
                         by_shape(box_.upper),
                         {}};
        problem_.prior_target = by_shape(prior_target_);
        problem_.prior_strength = by_shape(prior_strength_);
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
    View<const double, 2> by_shape(const std::vector<double>& numbers) const { return view(numbers, frames_, shapes_); }
    void check(const RigGram& gram, const ShotTargets& shot) const;
    void check_sizes(const ShotTargets& shot) const;
    void read_priors(const ShotTargets& shot);
    void add_linear(double alpha);
    void project(const RigGram& gram, const ShotTargets& shot, int threads);

    std::int64_t frames_;
    std::int64_t shapes_;
    std::int64_t columns_;
    WeightBox box_;
    std::vector<double> projections_;   // (T, N)
    std::vector<double> energies_;      // (T)
    std::vector<double> prior_target_;  // (T, K), like those below
    std::vector<double> prior_strength_;
    std::vector<double> linear_;
    std::vector<double> quadratic_;
    WeightProblem problem_;
};

void ShotTerms::check(const RigGram& gram, const ShotTargets& shot) const {
    const std::int64_t all = gram.rig().character().num_vertices();
    const std::int64_t chosen = gram.projection().num_vertices();
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
        if (gram.matrix()(n, n) <= largest_entry) continue;  // no entry is larger than the largest diagonal one
        throw bad_argument("solve", "vertex_weights", "so large that the objective would overflow", "smaller");
    }
    if ((shot.prior_target.data() == nullptr) != (shot.prior_strength.data() == nullptr)) {
        throw bad_argument("solve", "priors", "targets or strengths alone", "both or neither");
    }
}

/// Refuses alpha and smoothness whose terms could overflow on weights of the box.
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
        const double target = shot.prior_target.data()[i];
        const double strength = shot.prior_strength.data()[i];
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

/// Makes the linear and quadratic terms of the variables. The variable of tied shapes has the terms of both.
void ShotTerms::add_linear(double alpha) {
    linear_.resize(prior_target_.size());
    quadratic_ = prior_strength_;
    for (std::size_t i = 0; i < linear_.size(); ++i) linear_[i] = alpha - 2.0 * prior_strength_[i] * prior_target_[i];
    for (std::int64_t t = 0; t < frames_; ++t) {
        for (std::int64_t k = 0; k < shapes_; ++k) {
            const std::int64_t shape = t * shapes_ + k;
            const std::int64_t variable = t * shapes_ + box_.ties[k];
            if (shape == variable) continue;
            linear_[variable] += std::exchange(linear_[shape], 0.0);
            quadratic_[variable] += std::exchange(quadratic_[shape], 0.0);
        }
    }
}

void ShotTerms::project(const RigGram& gram, const ShotTargets& shot, int threads) {
    projections_.resize(static_cast<std::size_t>(frames_ * columns_));
    energies_.resize(static_cast<std::size_t>(frames_));
    gram.project(shot.targets, {projections_.data(), {frames_, columns_}}, {energies_.data(), {frames_}}, threads);
    for (std::int64_t t = 0; t < frames_; ++t) {
        // False for NaN, which an infinite target gives even if its vertex has weight 0.
        if (energies_[t] <= largest_entry) continue;
        throw bad_argument("solve", "targets", "not finite or too large at frame " + std::to_string(t),
                           "finite on all vertices");
    }
}

/// The given start, equal for tied shapes and with pinned weights at their pins; or the point of the box nearest to 0.
std::vector<double> ShotTerms::start(const ShotTargets& shot) const {
    std::vector<double> start(box_.lower.size());
    if (shot.start.data() != nullptr) {
        check_shape<const double, 2>("solve", "start", shot.start, {frames_, shapes_});
        check_finite("solve", "start", shot.start);
    }
    for (std::int64_t t = 0; t < frames_; ++t) {
        for (std::int64_t k = 0; k < shapes_; ++k) {
            const std::int64_t i = t * shapes_ + k;
            const double low = box_.lower[i];
            const double high = box_.upper[i];
            const double given = shot.start.data() == nullptr ? 0.0 : shot.start(t, k);
            if (shot.start.data() != nullptr && low != high && !(given >= low && given <= high)) {
                throw bad_argument("solve", "start", std::to_string(given) + " at " + describe_place(shot.start, i),
                                   "inside the bounds");
            }
            const double from = shot.start.data() == nullptr ? 0.0 : shot.start(t, box_.ties[k]);
            start[i] = std::min(std::max(from, low), high);
        }
    }
    return start;
}

/// Adds each frame's objective and RMSE, from its fidelity.
void add_errors(const RigGram& gram, const ShotTerms& terms, const WeightQuality& quality, ShotWeights& found) {
    const WeightProblem& problem = terms.problem();
    for (std::int64_t t = 0; t < found.num_frames; ++t) {
        const double fidelity = quality.fidelity[t] + terms.energies()[t];
        double other_terms = 0.0;
        for (std::int64_t k = 0; k < found.num_shapes; ++k) {
            const double difference = found.weight(t, k) - problem.prior_target(t, k);
            other_terms += problem.alpha * found.weight(t, k) + problem.prior_strength(t, k) * difference * difference;
        }
        found.objective.push_back(fidelity + other_terms);
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
    DescentOptions rig_options = options;
    rig_options.sharpness = descent_sharpness(gram.least_independence());
    const View<double, 2> weights(found.weights.data(), {frames, found.num_shapes});
    descend(products, gram, terms.problem(), rig_options,
            {weights, {found.iterations.data(), {frames}}, {converged.get(), {frames}}});
    found.converged.assign(converged.get(), converged.get() + frames);
    WeightQuality quality =
        measure_weights(products, gram, terms.problem(), weights, !options.coupled, options.threads);
    add_errors(gram, terms, quality, found);
    found.optimality = std::move(quality.optimality);
    return found;
}

}  // namespace rigcast::inverse
