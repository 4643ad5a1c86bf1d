#include "rigwright/optimize/products/newton.h"

#include <algorithm>
#include <cmath>

#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::optimize {

double QuadraticModel::look(const GramPoint& frame, Scope scope) {
    const ProductModel& products = frame.products();
    const Terms& terms = frame.terms();
    free_.variables.clear();
    free_.side.clear();
    gradient_.clear();
    at_.clear();
    low_.clear();
    high_.clear();
    free_.position.assign(products.num_variables(), -1);
    slopes_.resize(products.num_variables());
    frame.slopes(slopes_.data());
    double worst = 0.0;
    for (std::int64_t k = 0; k < products.num_variables(); ++k) {
        const double x = frame.x()[k], lower = terms.lower[k], upper = terms.upper[k];
        const bool rests = lower == upper || products.users(k).empty();
        if (rests && !std::isnan(x)) continue;
        const double right = slopes_[k];
        const double left = products.knots(k).empty() ? right : frame.slope(k, -1);
        const Descents descent = descents(x, lower, upper, left, right);
        worst = steeper(steeper(worst, descent.up), descent.down);
        const bool at_bound = scope == Scope::all && (x <= lower || x >= upper);
        if (!is_smooth(x, lower, upper, left, right) && !at_bound && !descent.any()) continue;
        const int side = at_bound ? (x <= lower ? 1 : -1) : descent.side();
        free_.position[k] = static_cast<std::int32_t>(free_.size());
        free_.variables.push_back(static_cast<std::int32_t>(k));
        free_.side.push_back(side);
        gradient_.push_back(side > 0 ? right : left);
        const auto [low, high] = products.piece(k, x, side, lower, upper);
        at_.push_back(x);
        low_.push_back(low);
        high_.push_back(high);
    }
    return worst;
}

double QuadraticModel::column(const GramPoint& frame, std::int32_t variable, const std::vector<std::int32_t>& at,
                              double* result) {
    const ProductModel& products = frame.products();
    const auto side = [&](std::int32_t k) { return free_.side[position(k)]; };
    entry_value_.clear();
    entry_row_.clear();
    for (const std::int32_t n : products.users(variable)) {
        const double slope = products.slope(n, variable, frame.x(), side(variable));
        if (slope == 0.0) continue;
        entry_value_.push_back(2.0 * slope);
        entry_row_.push_back(frame.gram().row(n));
    }
    image_.resize(frame.gram().width());
    std::fill(image_.begin(), image_.end(), 0.0);
    linalg::gram_kernels().add_rows(entry_value_.data(), entry_row_.data(),
                                    static_cast<std::int64_t>(entry_row_.size()), image_.data(), frame.gram().width());
    const auto entry = [&](std::int32_t k) {
        double sum = 0.0;
        for (const std::int32_t n : products.users(k)) {
            sum += products.slope(n, k, frame.x(), side(k)) * image_[n];
        }
        return sum;
    };
    for (std::size_t i = 0; i < at.size(); ++i) result[i] = entry(at[i]);
    for (const std::int32_t n : products.users(variable)) {
        const auto [first, second] = products.plain(n);
        if (second < 0) continue;
        const auto other = std::find(at.begin(), at.end(), first == variable ? second : first);
        if (other != at.end()) result[other - at.begin()] += 2.0 * frame.residual()[n];
    }
    return entry(variable) + 2.0 * frame.terms().quadratic[variable];
}

void NewtonStep::begin(bool cold) {
    is_first_ = true;
    was_singular_ = false;
    if (cold) factor_.clear();
}

double NewtonStep::look(const GramPoint& frame) {
    optimality_before_ = optimality_;
    optimality_ = model_.look(frame);
    return optimality_;
}

bool NewtonStep::take(GramPoint& frame) {
    const bool repeated = may_repeat() && follow_set(frame) && repeat(frame);
    is_first_ = false;
    if (repeated) return true;
    for (const bool curvature : {true, false}) {
        model_.form(frame, curvature);
        if (direction() && search(frame, shortest_step)) return true;
        if (frame.products().is_linear()) break;
    }
    return false;
}

bool NewtonStep::may_repeat() const {
    return !factor_.empty() && (is_first_ || optimality_ < 0.1 * optimality_before_);
}

/// Makes the variables of the factor the free ones. False where too many differ, or the factor does not exist.
bool NewtonStep::follow_set(const GramPoint& frame) {
    constexpr std::int64_t most = 8;  // changes that cost less than another factor
    const std::int64_t size = factor_.size();
    entered_.assign(frame.products().num_variables(), 0);
    std::int64_t leaving = 0;
    for (const std::int32_t k : factor_.variables()) {
        entered_[k] = 1;
        leaving += model_.position(k) < 0 ? 1 : 0;
    }
    const std::int64_t entering = is_first_ ? 0 : model_.size() - size + leaving;
    if (leaving + entering > most) return false;
    for (std::int64_t a = size; a-- > 0;) {
        if (model_.position(factor_.variables()[a]) < 0) factor_.remove(a);
    }
    rhs_.resize(factor_.stride());
    for (const std::int32_t k : model_.free()) {
        if (is_first_ || entered_[k]) continue;
        const double diagonal = model_.column(frame, k, factor_.variables(), rhs_.data());
        if (!factor_.append(k, rhs_.data(), diagonal)) return false;
    }
    return true;
}

bool NewtonStep::repeat(GramPoint& frame) {
    step_.assign(model_.size(), 0.0);
    held_.assign(model_.size(), 0);
    rhs_.resize(factor_.stride());
    for (std::int64_t a = 0; a < factor_.size(); ++a) {
        rhs_[a] = -model_.gradient()[model_.position(factor_.variables()[a])];
    }
    factor_.solve(rhs_.data());
    for (std::int64_t a = 0; a < factor_.size(); ++a) {
        const std::int32_t i = model_.position(factor_.variables()[a]);
        step_[i] = rhs_[a];
        stop_at_end(i);
    }
    return slope() < 0.0 && search(frame, 0.5);
}

/// Shortens a variable's step to the end of its piece; whether it had to.
bool NewtonStep::stop_at_end(std::int32_t i) {
    const double inside = step_within(step_[i], model_.at()[i], model_.low()[i], model_.high()[i]);
    if (inside == step_[i]) return false;
    step_[i] = inside;
    held_[i] = 1;
    return true;
}

/// Of the objective along step_.
double NewtonStep::slope() const {
    double along = 0.0;
    for (std::int64_t i = 0; i < model_.size(); ++i) along += step_[i] * model_.gradient()[i];
    return along;
}

bool NewtonStep::direction() {
    constexpr std::size_t few = 4;  // variables that leave a factor for less than the price of another one
    const std::int64_t count = model_.size();
    step_.assign(count, 0.0);
    held_.assign(count, 0);
    pull_.resize(count);
    active_.resize(count);
    for (std::int64_t i = 0; i < count; ++i) {
        pull_[i] = -model_.gradient()[i];
        active_[i] = static_cast<std::int32_t>(i);
    }
    factor_.clear();
    while (!active_.empty()) {
        if (factor_.empty() && !factor(active_)) return false;
        solve();
        std::size_t left = 0;
        for (const std::int32_t i : active_) {
            if (!stop_at_end(i)) continue;
            const Hessian<double>& hessian = model_.hessian();
            const double* row = hessian.entries().data() + i * hessian.stride();
            linalg::gram_kernels().add_scaled(-step_[i], row, pull_.data(), count);
            ++left;
        }
        if (left == 0) break;
        for (std::size_t a = active_.size(); a-- > 0;) {
            if (!held_[active_[a]]) continue;
            active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(a));
            if (left <= few) factor_.remove(static_cast<std::int64_t>(a));
        }
        if (left > few) factor_.clear();
    }
    return slope() < 0.0;
}

/// Over `active`; with a ridge where the Hessian is singular.
bool NewtonStep::factor(const std::vector<std::int32_t>& active) {
    const Hessian<double>& hessian = model_.hessian();
    constexpr double nearly_singular = 1e-6;  // a thousandth of a column is its own
    double largest = 0.0;
    for (const std::int32_t a : active) largest = std::max(largest, hessian.entries()[a * (hessian.stride() + 1)]);
    for (double ridge = 0.0; ridge <= largest_ridge; ridge = next_ridge(ridge)) {
        if (factor_.set(hessian.entries(), hessian.stride(), active, ridge * largest, model_.free())) {
            was_singular_ = was_singular_ || factor_.least_pivot() < nearly_singular;
            return true;
        }
    }
    return false;
}

/// step_ over the active variables, given the steps of the others.
void NewtonStep::solve() {
    rhs_.resize(factor_.stride());
    for (std::size_t a = 0; a < active_.size(); ++a) rhs_[a] = pull_[active_[a]];
    factor_.solve(rhs_.data());
    for (std::size_t a = 0; a < active_.size(); ++a) step_[active_[a]] = rhs_[a];
}

bool NewtonStep::search(GramPoint& frame, double shortest) {
    const std::vector<std::int32_t>& free = model_.free();
    const double along = slope();
    for (double length = 1.0; length > shortest; length *= step_shrinkage) {
        trial_.assign(frame.x(), frame.x() + frame.products().num_variables());
        for (std::size_t i = 0; i < free.size(); ++i) {
            trial_[free[i]] =
                after_step(model_.at()[i], step_[i], length, held_[i] != 0, model_.low()[i], model_.high()[i]);
        }
        if (decreases_enough(frame.move(trial_.data()), length, along)) return true;
        frame.undo();
    }
    return false;
}

}  // namespace rigwright::optimize
