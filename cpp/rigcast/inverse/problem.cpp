#include "rigcast/inverse/problem.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/inverse/weight_box.h"

namespace rigcast::inverse {
namespace {

constexpr double largest_term = 1e304;     // of the objective, just below overflow
constexpr double least_pull_ratio = 1e-6;  // of the Gram matrix's largest entry. Chosen, not tuned.

using Values = std::vector<double>;

std::shared_ptr<const Values> shared(Values values) {
    return std::make_shared<const Values>(std::move(values));
}

/// The chosen rows of an array with `width` numbers per row; null stays null.
std::shared_ptr<const Values> rows_of(const std::shared_ptr<const Values>& values, std::int64_t width,
                                      std::span<const std::int64_t> rows) {
    if (values == nullptr) return nullptr;
    Values chosen;
    chosen.reserve(rows.size() * static_cast<std::size_t>(width));
    for (const std::int64_t row : rows) {
        chosen.insert(chosen.end(), values->begin() + row * width, values->begin() + (row + 1) * width);
    }
    return shared(std::move(chosen));
}

/// (T, K): targets and strengths of the priors, 0 where there is none; empty without priors.
std::pair<Values, Values> read_priors(const ShotTargets& shot, std::int64_t frames, std::int64_t shapes) {
    if ((shot.prior_target.data() == nullptr) != (shot.prior_strength.data() == nullptr)) {
        throw bad_argument("solve", "priors", "targets or strengths alone", "both or neither");
    }
    const auto size = static_cast<std::size_t>(frames * shapes);
    if (shot.prior_target.data() == nullptr) return {};
    for (const auto& [name, values] :
         {std::pair{"prior_target", shot.prior_target}, std::pair{"prior_strength", shot.prior_strength}}) {
        check_shape<const double, 2>("solve", name, values, {frames, shapes});
        check_finite("solve", name, values);
    }
    for (std::size_t i = 0; i < size; ++i) {
        const double target = shot.prior_target.data()[i];
        const double strength = shot.prior_strength.data()[i];
        if (strength < 0.0) {
            throw bad_argument("solve", "priors", "of strength " + describe_number(strength) + " somewhere",
                               "of strengths >= 0");
        }
        // False for NaN, if both overflow.
        if (2.0 * strength * (1.0 + std::abs(target) + target * target) <= largest_term / static_cast<double>(size)) {
            continue;
        }
        throw bad_argument("solve", "priors", "so large that its terms overflow", "smaller");
    }
    return {{shot.prior_target.begin(), shot.prior_target.end()},
            {shot.prior_strength.begin(), shot.prior_strength.end()}};
}

void check_targets(const RigGram& gram, View<const float, 3> targets) {
    const std::int64_t all = gram.rig().character().num_vertices();
    const std::int64_t chosen = gram.projection().num_vertices();
    const std::int64_t given = targets.extent(1);
    if ((given != all && given != chosen) || targets.extent(2) != 3) {
        throw bad_argument("solve", "targets", describe_shape<3>(targets.extents()),
                           "(T, " + std::to_string(all) + ", 3)" +
                               (all == chosen ? "" : " or (T, " + std::to_string(chosen) + ", 3)"));
    }
    if (targets.extent(0) == 0) throw bad_argument("solve", "targets", "an empty shot", "at least one frame");
}

ProjectedTargets project_checked(const RigGram& gram, View<const float, 3> targets, int threads) {
    check_threads("solve", threads);
    check_targets(gram, targets);
    const std::int64_t frames = targets.extent(0);
    const std::int64_t columns = gram.rig().num_columns();
    ProjectedTargets projected{Values(static_cast<std::size_t>(frames * columns)),
                               Values(static_cast<std::size_t>(frames))};
    gram.project(targets, {projected.projections.data(), {frames, columns}}, {projected.energies.data(), {frames}},
                 threads);
    return projected;
}

/// Refuses a frame whose energy overflows: names its first vertex that is not finite, if there is one.
[[noreturn]] void refuse_frame(const RigGram& gram, View<const float, 3> targets, std::int64_t frame) {
    if (targets.data() == nullptr) {  // they are on a device
        throw bad_argument(
            "solve", "targets",
            "not finite at frame " + std::to_string(frame) + ", or so large that the objective overflows",
            "finite everywhere, and smaller");
    }
    const bool whole = targets.extent(1) == gram.rig().character().num_vertices();
    for (std::size_t i = 0; i < gram.vertices().size(); ++i) {
        const std::int64_t place = whole ? gram.vertices()[i] : static_cast<std::int64_t>(i);
        const float* point = targets.row(frame) + 3 * place;
        if (std::all_of(point, point + 3, [](float x) { return std::isfinite(x); })) continue;
        throw bad_argument(
            "solve", "targets",
            "not finite at frame " + std::to_string(frame) + ", vertex " + std::to_string(gram.vertices()[i]),
            "finite everywhere");
    }
    throw bad_argument("solve", "targets",
                       "so large at frame " + std::to_string(frame) + " that the objective overflows", "smaller");
}

}  // namespace

Problem::Problem(const RigGram& gram, const ShotTargets& shot, int threads)
    : Problem(gram, shot, project_checked(gram, shot.targets, threads)) {}

Problem::Problem(const RigGram& gram, const ShotTargets& shot, ProjectedTargets projected)
    : num_frames_(shot.targets.extent(0)),
      num_shapes_(gram.rig().num_shapes()),
      num_columns_(gram.rig().num_columns()),
      alpha_(shot.alpha),
      smoothness_(shot.smoothness) {
    check_targets(gram, shot.targets);
    auto [target, strength] = read_priors(shot, num_frames_, num_shapes_);
    WeightBox box = make_box(gram, shot);
    if (shot.init.data() != nullptr) init_ = shared(start_inside(box, shot.init));
    lower_ = shared(std::move(box.lower));
    upper_ = shared(std::move(box.upper));
    ties_ = std::make_shared<const std::vector<std::int32_t>>(std::move(box.ties));
    products_ = std::make_shared<const optimize::ProductModel>(rig_products(gram.rig(), ties()));
    zero_ = shared(Values(lower_->size(), 0.0));
    const bool has_priors = shot.prior_target.data() != nullptr;
    prior_target_ = has_priors ? shared(std::move(target)) : zero_;
    prior_strength_ = has_priors ? shared(std::move(strength)) : zero_;
    check_terms();
    make_linear();
    take_targets(gram, shot.targets, std::move(projected));
}

void Problem::check_gram(const RigGram& gram) const {
    if (gram.rig().num_columns() == num_columns_ && gram.rig().num_shapes() == num_shapes_) return;
    throw bad_argument("solve", "gram", "of a rig with " + std::to_string(gram.rig().num_columns()) + " columns",
                       "of one with " + std::to_string(num_columns_));
}

void Problem::check_terms() const {
    const double largest = largest_strength();
    for (const auto& [name, value] : {std::pair{"alpha", alpha_}, std::pair{"smoothness", smoothness_}}) {
        if (!std::isfinite(value) || value < 0.0) {
            throw bad_argument("solve", name, describe_number(value), "a finite number >= 0");
        }
        if (value > largest) {
            throw bad_argument("solve", name, describe_number(value), "so small that the objective does not overflow");
        }
    }
}

/// Makes the linear and quadratic terms of shapes and of variables.
void Problem::make_linear() {
    Values linear(prior_target_->size());
    for (std::size_t i = 0; i < linear.size(); ++i) {
        linear[i] = alpha_ - 2.0 * (*prior_strength_)[i] * (*prior_target_)[i];
    }
    linear_ = shared(std::move(linear));
    variable_linear_ = linear_;
    variable_quadratic_ = prior_strength_;
    const auto is_own = [&](std::int64_t k) { return (*ties_)[k] == k; };
    bool is_tied = false;
    for (std::int64_t k = 0; k < num_shapes_; ++k) is_tied = is_tied || !is_own(k);
    if (!is_tied) return;
    linear = *linear_;
    Values quadratic = *prior_strength_;
    for (std::int64_t k = 0; k < num_shapes_; ++k) {
        const std::int64_t variable = (*ties_)[k];
        if (variable == k) continue;
        for (std::int64_t t = 0; t < num_frames_; ++t) {
            const std::int64_t shape = t * num_shapes_ + k;
            linear[t * num_shapes_ + variable] += std::exchange(linear[shape], 0.0);
            quadratic[t * num_shapes_ + variable] += std::exchange(quadratic[shape], 0.0);
        }
    }
    variable_linear_ = shared(std::move(linear));
    variable_quadratic_ = shared(std::move(quadratic));
}

void Problem::take_targets(const RigGram& gram, View<const float, 3> targets, ProjectedTargets projected) {
    check_gram(gram);
    check_shape<const double, 1>("solve", "energies",
                                 {projected.energies.data(), {static_cast<std::int64_t>(projected.energies.size())}},
                                 {targets.extent(0)});
    check_shape<const double, 1>(
        "solve", "projections",
        {projected.projections.data(), {static_cast<std::int64_t>(projected.projections.size())}},
        {targets.extent(0) * num_columns_});
    check_shape<const float, 3>("solve", "targets", targets, {num_frames_, -1, 3});
    for (std::int64_t t = 0; t < num_frames_; ++t) {
        // False for NaN, which an infinite target gives even if its vertex has weight 0.
        if (!(projected.energies[t] <= largest_entry)) refuse_frame(gram, targets, t);
    }
    projections_ = shared(std::move(projected.projections));
    energies_ = shared(std::move(projected.energies));
    least_pull_ = std::max(least_pull_ratio * gram.largest_entry_of_matrix(), std::numeric_limits<double>::min());
}

View<const double, 2> Problem::projections() const {
    return {projections_->data(), {num_frames_, num_columns_}};
}

View<const double, 1> Problem::energies() const {
    return {energies_->data(), {num_frames_}};
}

optimize::Shot Problem::shot() const {
    return {projections(), by_shape(variable_linear_), by_shape(variable_quadratic_), lower(), upper(), {}};
}

optimize::Shot Problem::vertices_alone() const {
    return {projections(), by_shape(zero_), by_shape(zero_), lower(), upper(), {}};
}

std::vector<double> Problem::start() const {
    if (init_ != nullptr) return *init_;
    Values start(lower_->size());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = std::min(std::max(0.0, (*lower_)[i]), (*upper_)[i]);
    return start;
}

double Problem::largest_strength() const {
    double largest = 0.0;
    for (const Numbers* side : {&lower_, &upper_}) {
        for (const double x : **side) largest = std::max(largest, std::abs(x));
    }
    return largest_term / (16.0 * static_cast<double>(num_frames_ * num_shapes_) * (1.0 + largest) * (1.0 + largest));
}

Problem Problem::at(std::span<const std::int64_t> frames) const {
    for (const std::int64_t frame : frames) {
        if (frame >= 0 && frame < num_frames_) continue;
        throw bad_argument("at", "frames", std::to_string(frame) + " somewhere",
                           "frames below " + std::to_string(num_frames_));
    }
    Problem part = *this;
    part.num_frames_ = static_cast<std::int64_t>(frames.size());
    part.projections_ = rows_of(projections_, num_columns_, frames);
    part.energies_ = rows_of(energies_, 1, frames);
    for (Numbers Problem::*values :
         {&Problem::lower_, &Problem::upper_, &Problem::init_, &Problem::prior_target_, &Problem::prior_strength_,
          &Problem::linear_, &Problem::variable_linear_, &Problem::variable_quadratic_, &Problem::zero_}) {
        part.*values = rows_of(this->*values, num_shapes_, frames);
    }
    return part;
}

Problem Problem::with_alpha(double alpha) const {
    Problem other = *this;
    other.alpha_ = alpha;
    other.check_terms();
    other.make_linear();
    return other;
}

Problem Problem::with_smoothness(double smoothness) const {
    Problem other = *this;
    other.smoothness_ = smoothness;
    other.check_terms();
    return other;
}

Problem Problem::without_priors() const {
    Problem other = *this;
    other.prior_strength_ = zero_;
    other.make_linear();
    return other;
}

Problem Problem::starting_at(View<const double, 2> init) const {
    Problem other = *this;
    other.init_ = nullptr;
    if (init.data() != nullptr) {
        other.init_ = shared(start_inside({num_frames_, num_shapes_, *ties_, *lower_, *upper_}, init));
    }
    return other;
}

Problem Problem::resting(std::span<const char> shapes) const {
    WeightBox box{num_frames_, num_shapes_, *ties_, *lower_, *upper_};
    rest(box, shapes);
    Problem other = *this;
    if (init_ != nullptr) {
        Values start = *init_;
        for (std::size_t i = 0; i < start.size(); ++i)
            start[i] = std::min(std::max(start[i], box.lower[i]), box.upper[i]);
        other.init_ = shared(std::move(start));
    }
    other.lower_ = shared(std::move(box.lower));
    other.upper_ = shared(std::move(box.upper));
    return other;
}

Problem Problem::with_targets(const RigGram& gram, View<const float, 3> targets, int threads) const {
    return with_targets(gram, targets, project_checked(gram, targets, threads));
}

Problem Problem::with_targets(const RigGram& gram, View<const float, 3> targets, ProjectedTargets projected) const {
    Problem other = *this;
    other.take_targets(gram, targets, std::move(projected));
    return other;
}

}  // namespace rigcast::inverse
