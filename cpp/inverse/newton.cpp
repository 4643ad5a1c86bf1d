#include "inverse/newton.h"

#include <algorithm>
#include <cmath>

namespace rigwright::inverse {

double QuadraticModel::look(const Frame& frame) {
    const Structure& structure = frame.structure();
    const Terms& terms = frame.terms();
    free_.clear();
    side_.clear();
    gradient_.clear();
    at_.clear();
    low_.clear();
    high_.clear();
    position_.assign(structure.num_variables(), -1);
    slopes_.resize(structure.num_variables());
    frame.slopes(slopes_.data());
    double worst = 0.0;
    for (std::int64_t k = 0; k < structure.num_variables(); ++k) {
        const double x = frame.x()[k], lower = terms.lower[k], upper = terms.upper[k];
        if (lower == upper || structure.users(k).empty()) continue;
        const double right = slopes_[k];
        const double left = structure.knots(k).empty() ? right : frame.slope(k, -1);
        const double rise = x < upper ? -right : 0.0, fall = x > lower ? left : 0.0;
        worst = std::max({worst, rise, fall});
        const bool inside = x > lower && x < upper && left == right;
        if (!inside && rise <= 0.0 && fall <= 0.0) continue;
        const int side = rise >= fall ? 1 : -1;
        position_[k] = static_cast<std::int32_t>(free_.size());
        free_.push_back(static_cast<std::int32_t>(k));
        side_.push_back(side);
        gradient_.push_back(side > 0 ? right : left);
        const auto [low, high] = structure.piece(k, x, side, lower, upper);
        at_.push_back(x);
        low_.push_back(low);
        high_.push_back(high);
    }
    return worst;
}

void QuadraticModel::form(const Frame& frame, bool curvature) {
    const std::int64_t count = size(), width = frame.gram().width(), stride = padded_width(count);
    differentiate(frame);
    hessian_.resize(count * stride);
    image_.resize(width);
    cursor_.assign(rank_begin_.begin(), rank_begin_.end() - 1);
    for (std::int64_t i = 0; i < count; ++i) {
        double* row = hessian_.data() + i * stride;
        std::fill_n(row, stride, 0.0);
        const std::int64_t begin = entry_begin_[i], end = entry_begin_[i + 1];
        if (begin == end) continue;
        kernels().sum_rows(entry_value_.data() + begin, entry_row_.data() + begin, end - begin, image_.data(), width);
        for (std::size_t rank = 0; rank < cursor_.size(); ++rank) {
            std::int64_t& from = cursor_[rank];
            while (from < rank_begin_[rank + 1] && ranked_[from].position < i) ++from;
            for (std::int64_t e = from; e < rank_begin_[rank + 1]; ++e) {
                row[ranked_[e].position] += ranked_[e].twice * image_[ranked_[e].column];
            }
        }
        row[i] += 2.0 * frame.terms().quadratic[free_[i]];
    }
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < i; ++j) hessian_[i * stride + j] = hessian_[j * stride + i];
    }
    if (curvature) add_curvature(frame);
}

/// The slopes J by free variables, and once more by rank: first the first entry of each variable, then the second ones,
/// so that sums over them go to one variable after another and do not wait for each other.
void QuadraticModel::differentiate(const Frame& frame) {
    const Structure& structure = frame.structure();
    entry_column_.clear();
    entry_value_.clear();
    entry_row_.clear();
    entry_begin_.assign(1, 0);
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < size(); ++i) {
        for (const std::int32_t n : structure.users(free_[i])) {
            const double slope = structure.slope(n, free_[i], frame.x(), side_[i]);
            if (slope == 0.0) continue;
            entry_column_.push_back(n);
            entry_value_.push_back(slope);
            entry_row_.push_back(frame.gram().row(n));
        }
        entry_begin_.push_back(static_cast<std::int64_t>(entry_column_.size()));
        longest = std::max(longest, entry_begin_[i + 1] - entry_begin_[i]);
    }
    ranked_.clear();
    rank_begin_.assign(1, 0);
    for (std::int64_t rank = 0; rank < longest; ++rank) {
        for (std::int64_t i = 0; i < size(); ++i) {
            const std::int64_t e = entry_begin_[i] + rank;
            if (e >= entry_begin_[i + 1]) continue;
            ranked_.push_back({static_cast<std::int32_t>(i), entry_column_[e], 2.0 * entry_value_[e]});
        }
        rank_begin_.push_back(static_cast<std::int64_t>(ranked_.size()));
    }
}

void QuadraticModel::add_curvature(const Frame& frame) {
    const Structure& structure = frame.structure();
    const std::int64_t stride = padded_width(size());
    for (std::int64_t n = 0; n < structure.num_columns(); ++n) {
        const auto [first, second] = structure.plain(n);
        if (second >= 0) {
            const std::int32_t i = position_[first], j = position_[second];
            if (i < 0 || j < 0) continue;
            hessian_[i * stride + j] += 2.0 * frame.residual()[n];
            hessian_[j * stride + i] += 2.0 * frame.residual()[n];
            continue;
        }
        const std::span<const Factor> factors = structure.factors(n);
        for (std::size_t a = 1; a < factors.size(); ++a) {
            const std::int32_t i = position_[factors[a].variable];
            if (i < 0) continue;
            for (std::size_t b = 0; b < a; ++b) {
                const std::int32_t j = position_[factors[b].variable];
                if (j < 0) continue;
                double product = 2.0 * frame.residual()[n];
                for (std::size_t c = 0; c < factors.size(); ++c) {
                    const double x = frame.x()[factors[c].variable];
                    product *= c == a   ? factors[c].slope(x, side_[i])
                               : c == b ? factors[c].slope(x, side_[j])
                                        : factors[c].value(x);
                }
                hessian_[i * stride + j] += product;
                hessian_[j * stride + i] += product;  // twice on the diagonal: (u v)'' = 2 u' v'
            }
        }
    }
}

void NewtonStep::begin(bool cold) {
    is_first_ = true;
    if (cold) factored_.clear();
}

double NewtonStep::look(const Frame& frame) {
    optimality_before_ = optimality_;
    optimality_ = model_.look(frame);
    return optimality_;
}

bool NewtonStep::take(Frame& frame) {
    const bool repeated = may_repeat() && repeat(frame);
    is_first_ = false;
    if (repeated) return true;
    for (const bool curvature : {true, false}) {
        model_.form(frame, curvature);
        if (direction() && search(frame, 1e-3)) return true;
        if (frame.structure().is_linear()) break;
    }
    return false;
}

bool NewtonStep::may_repeat() const {
    const auto is_free = [&](std::int32_t k) { return model_.position(k) >= 0; };
    if (factored_.empty() || !std::all_of(factored_.begin(), factored_.end(), is_free)) return false;
    const bool same = static_cast<std::int64_t>(factored_.size()) == model_.size();
    return is_first_ || (same && optimality_ < 0.1 * optimality_before_);
}

bool NewtonStep::repeat(Frame& frame) {
    const std::int64_t n = static_cast<std::int64_t>(factored_.size());
    step_.assign(model_.size(), 0.0);
    held_.assign(model_.size(), 0);
    rhs_.resize(padded_width(n));
    for (std::int64_t a = 0; a < n; ++a) rhs_[a] = -model_.gradient()[model_.position(factored_[a])];
    kernels().cholesky_solve(factor_.data(), n, inverse_diagonal_.data(), rhs_.data());
    for (std::int64_t a = 0; a < n; ++a) {
        const std::int32_t i = model_.position(factored_[a]);
        step_[i] = rhs_[a];
        stop_at_end(i);
    }
    return slope() < 0.0 && search(frame, 0.5);
}

/// Shortens a variable's step to the end of its piece; whether it had to.
bool NewtonStep::stop_at_end(std::int32_t i) {
    const double x = model_.at()[i];
    const double inside = std::clamp(step_[i], model_.low()[i] - x, model_.high()[i] - x);
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
    const std::int64_t count = model_.size(), stride = padded_width(count);
    step_.assign(count, 0.0);
    held_.assign(count, 0);
    pull_.resize(count);
    active_.resize(count);
    for (std::int64_t i = 0; i < count; ++i) {
        pull_[i] = -model_.gradient()[i];
        active_[i] = static_cast<std::int32_t>(i);
    }
    while (!active_.empty()) {
        if (!solve_over(active_)) return false;
        still_.clear();
        for (const std::int32_t i : active_) {
            if (stop_at_end(i)) {
                kernels().add_scaled(-step_[i], model_.hessian().data() + i * stride, pull_.data(), count);
            } else {
                still_.push_back(i);
            }
        }
        if (still_.size() == active_.size()) break;
        active_.swap(still_);
    }
    return slope() < 0.0;
}

/// step_ over `active`, given the steps of the others; a ridge where the Hessian is singular.
bool NewtonStep::solve_over(const std::vector<std::int32_t>& active) {
    const std::int64_t n = static_cast<std::int64_t>(active.size()), width = padded_width(n);
    const std::int64_t stride = padded_width(model_.size());
    const std::vector<double>& hessian = model_.hessian();
    double largest = 0.0;
    rhs_.resize(width);
    inverse_diagonal_.resize(n);
    factored_.clear();
    for (std::int64_t a = 0; a < n; ++a) {
        rhs_[a] = pull_[active[a]];
        largest = std::max(largest, hessian[active[a] * (stride + 1)]);
    }
    for (double ridge = 0.0; ridge <= 1e-4; ridge = ridge == 0.0 ? 1e-12 : 100.0 * ridge) {
        factor_.resize(n * width);
        for (std::int64_t a = 0; a < n; ++a) {
            const double* from = hessian.data() + active[a] * stride;
            double* row = factor_.data() + a * width;
            std::fill_n(row, a, 0.0);
            for (std::int64_t b = a; b < n; ++b) row[b] = from[active[b]];
            std::fill(row + n, row + width, 0.0);
            row[a] += ridge * largest;
        }
        if (!kernels().cholesky(factor_.data(), n, 1e-13, inverse_diagonal_.data())) continue;
        kernels().cholesky_solve(factor_.data(), n, inverse_diagonal_.data(), rhs_.data());
        for (std::int64_t a = 0; a < n; ++a) step_[active[a]] = rhs_[a];
        for (const std::int32_t i : active) factored_.push_back(model_.free()[i]);
        return true;
    }
    return false;
}

bool NewtonStep::search(Frame& frame, double shortest) {
    const std::vector<std::int32_t>& free = model_.free();
    const double along = slope();
    for (double length = 1.0; length > shortest; length *= 0.5) {
        trial_.assign(frame.x(), frame.x() + frame.structure().num_variables());
        for (std::size_t i = 0; i < free.size(); ++i) {
            const double low = model_.low()[i], high = model_.high()[i];
            const double x = model_.at()[i] + length * step_[i];
            const bool to_end = held_[i] && length == 1.0 && step_[i] != 0.0;  // exactly, not up to rounding
            trial_[free[i]] = to_end ? (step_[i] < 0.0 ? low : high) : std::clamp(x, low, high);
        }
        if (frame.move(trial_.data()) <= 1e-4 * length * along) return true;
        frame.undo();
    }
    return false;
}

}  // namespace rigwright::inverse
