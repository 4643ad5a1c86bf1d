#include "rigcast/optimize/products/newton_step.h"

#include <algorithm>

#include "rigcast/linalg/gram_kernels.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {
namespace {

// Steps below were counted on a constructed rig (100 shapes, 60 pairs; 300 frames), the ICT face (200 frames),
// MakeHuman's macro rig (150 frames) and a rig of near copies (60 frames).

/// A chord step is taken if the last step reduced the optimality to this share of it. Trades cheap steps for more of
/// them: 0.01 takes 0 to 15 % fewer steps than 0.1, 0.5 takes 0 to 31 % more; times are alike.
constexpr double chord_reduction = 0.1;
/// Chord steps are taken at full length or not at all: 1/2 ends the line search after the first trial.
constexpr double shortest_chord_step = 0.5;
/// Variables that enter or leave a factorization for a chord step, at O(n^2) each, before a new one is cheaper. Not
/// sensitive: 4 and 16 take as many steps within 3 %.
constexpr std::int64_t max_chord_updates = 8;
/// Variables that are removed from a factorization when they are fixed, before a new one is cheaper. Not sensitive: 8
/// takes as many steps on the first three rigs and 8 % fewer on the near copies.
constexpr std::int64_t max_removals = 4;
/// A least pivot (see ActiveSetCholesky::least_pivot) below this counts as nearly singular: less than a thousandth, its
/// square root, of some shape is independent of the others. Not sensitive: 1e-8 and 1e-4 take the same steps.
constexpr double nearly_singular = 1e-6;

}  // namespace

void NewtonStep::start_frame(bool is_warm) {
    is_first_step_ = true;
    was_singular_ = false;
    if (!is_warm) cholesky_.clear();
}

double NewtonStep::linearize(const GramPoint& point) {
    previous_optimality_ = optimality_;
    optimality_ = model_.linearize(point);
    return optimality_;
}

bool NewtonStep::step(GramPoint& point) {
    const bool is_repeated = can_repeat() && update_factorization(point) && chord_step(point);
    is_first_step_ = false;
    if (is_repeated) return true;
    for (const bool curvature : {true, false}) {
        model_.assemble_hessian(point, curvature);
        if (find_step() && line_search(point, shortest_step)) return true;
        if (point.products().is_linear()) break;
    }
    return false;
}

bool NewtonStep::can_repeat() const {
    return !cholesky_.empty() && (is_first_step_ || optimality_ < chord_reduction * previous_optimality_);
}

/// Removes variables that are no longer free from the factorization and appends new ones. In the first step of a frame
/// none is appended: they stay where they are for one step. Returns false if there are too many, or H over them is not
/// positive definite.
bool NewtonStep::update_factorization(const GramPoint& point) {
    const std::int64_t size = cholesky_.size();
    is_factored_.assign(point.products().num_variables(), 0);
    std::int64_t leaving = 0;
    for (const std::int32_t k : cholesky_.variables()) {
        is_factored_[k] = 1;
        leaving += model_.position(k) < 0 ? 1 : 0;
    }
    const std::int64_t entering = is_first_step_ ? 0 : model_.size() - size + leaving;
    if (leaving + entering > max_chord_updates) return false;
    for (std::int64_t a = size; a-- > 0;) {
        if (model_.position(cholesky_.variables()[a]) < 0) cholesky_.remove(a);
    }
    solution_.resize(cholesky_.stride());
    for (const std::int32_t k : model_.variables()) {
        if (is_first_step_ || is_factored_[k]) continue;
        const double diagonal = model_.hessian_column(point, k, cholesky_.variables(), solution_.data());
        if (!cholesky_.append(k, solution_.data(), diagonal)) return false;
    }
    return true;
}

/// Solves with the factorization as it is; variables that would leave their pieces are fixed, the others not solved for
/// again.
bool NewtonStep::chord_step(GramPoint& point) {
    step_.assign(model_.size(), 0.0);
    is_fixed_.assign(model_.size(), 0);
    solution_.resize(cholesky_.stride());
    for (std::int64_t a = 0; a < cholesky_.size(); ++a) {
        solution_[a] = -model_.gradient()[model_.position(cholesky_.variables()[a])];
    }
    cholesky_.solve(solution_.data());
    for (std::int64_t a = 0; a < cholesky_.size(); ++a) {
        const std::int32_t i = model_.position(cholesky_.variables()[a]);
        step_[i] = solution_[a];
        fix_if_leaving(i);
    }
    return slope() < 0.0 && line_search(point, shortest_chord_step);
}

/// Shortens a free variable's step to the end of its piece. Returns true if that changed it.
bool NewtonStep::fix_if_leaving(std::int32_t i) {
    const double inside = step_within(step_[i], model_.x()[i], model_.low()[i], model_.high()[i]);
    if (inside == step_[i]) return false;
    step_[i] = inside;
    is_fixed_[i] = 1;
    return true;
}

/// The objective's slope along step_.
double NewtonStep::slope() const {
    double sum = 0.0;
    for (std::int64_t i = 0; i < model_.size(); ++i) sum += step_[i] * model_.gradient()[i];
    return sum;
}

/// Fills step_ from the assembled Hessian. Returns false if it cannot be factorized or the step does not descend.
bool NewtonStep::find_step() {
    const std::int64_t count = model_.size();
    step_.assign(count, 0.0);
    is_fixed_.assign(count, 0);
    right_side_.resize(count);
    active_.resize(count);
    for (std::int64_t i = 0; i < count; ++i) {
        right_side_[i] = -model_.gradient()[i];
        active_[i] = static_cast<std::int32_t>(i);
    }
    cholesky_.clear();
    while (!active_.empty()) {
        if (cholesky_.empty() && !factorize()) return false;
        solve_active();
        const std::int64_t num_fixed = fix_leaving();
        if (num_fixed == 0) break;
        remove_fixed(num_fixed);
    }
    return slope() < 0.0;
}

/// H over the active variables, with the smallest ridge that makes it positive definite.
bool NewtonStep::factorize() {
    const Hessian<double>& hessian = model_.hessian();
    double largest = 0.0;
    for (const std::int32_t i : active_) largest = std::max(largest, hessian.entries()[i * (hessian.stride() + 1)]);
    for (double ridge = 0.0; ridge <= largest_ridge; ridge = next_ridge(ridge)) {
        if (cholesky_.set(hessian.entries(), hessian.stride(), active_, ridge * largest, model_.variables())) {
            was_singular_ = was_singular_ || cholesky_.least_pivot() < nearly_singular;
            return true;
        }
    }
    return false;
}

/// The steps of the active variables, given those of the fixed ones.
void NewtonStep::solve_active() {
    solution_.resize(cholesky_.stride());
    for (std::size_t a = 0; a < active_.size(); ++a) solution_[a] = right_side_[active_[a]];
    cholesky_.solve(solution_.data());
    for (std::size_t a = 0; a < active_.size(); ++a) step_[active_[a]] = solution_[a];
}

/// Fixes the active variables that would leave their pieces and moves their part of H d to the right side. Returns
/// their number.
std::int64_t NewtonStep::fix_leaving() {
    const Hessian<double>& hessian = model_.hessian();
    std::int64_t num_fixed = 0;
    for (const std::int32_t i : active_) {
        if (!fix_if_leaving(i)) continue;
        const double* row = hessian.entries().data() + i * hessian.stride();
        linalg::gram_kernels().add_scaled(-step_[i], row, right_side_.data(), model_.size());
        ++num_fixed;
    }
    return num_fixed;
}

/// Removes fixed variables from the active ones and from the factorization, or clears it if they are many.
void NewtonStep::remove_fixed(std::int64_t num_fixed) {
    for (std::size_t a = active_.size(); a-- > 0;) {
        if (!is_fixed_[active_[a]]) continue;
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(a));
        if (num_fixed <= max_removals) cholesky_.remove(static_cast<std::int64_t>(a));
    }
    if (num_fixed > max_removals) cholesky_.clear();
}

/// Halves step_ until the objective falls enough. Returns false, with the point unmoved, if that takes a step no longer
/// than `shortest`.
bool NewtonStep::line_search(GramPoint& point, double shortest) {
    const std::vector<std::int32_t>& variables = model_.variables();
    const double full_slope = slope();
    for (double length = 1.0; length > shortest; length *= step_shrinkage) {
        trial_.assign(point.x(), point.x() + point.products().num_variables());
        for (std::size_t i = 0; i < variables.size(); ++i) {
            trial_[variables[i]] =
                after_step(model_.x()[i], step_[i], length, is_fixed_[i] != 0, model_.low()[i], model_.high()[i]);
        }
        if (decreases_enough(point.move(trial_.data()), length, full_slope)) return true;
        point.undo();
    }
    return false;
}

}  // namespace rigcast::optimize
