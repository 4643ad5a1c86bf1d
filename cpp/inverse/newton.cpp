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
    double worst = 0.0;
    for (std::int64_t k = 0; k < structure.num_variables(); ++k) {
        const double x = frame.x()[k], lower = terms.lower[k], upper = terms.upper[k];
        if (lower == upper || structure.users(k).empty()) continue;
        const double right = frame.slope(k, 1);
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
    const Structure& structure = frame.structure();
    const Kernels& kernel = kernels();
    const std::int64_t count = size(), columns = structure.num_columns();
    entry_column_.clear();
    entry_value_.clear();
    entry_begin_.assign(1, 0);
    for (std::int64_t i = 0; i < count; ++i) {
        for (const std::int32_t n : structure.users(free_[i])) {
            const double slope = structure.slope(n, free_[i], frame.x(), side_[i]);
            if (slope == 0.0) continue;
            entry_column_.push_back(n);
            entry_value_.push_back(slope);
        }
        entry_begin_.push_back(static_cast<std::int64_t>(entry_column_.size()));
    }
    hessian_.resize(count * count);
    for (std::int64_t i = 0; i < count; ++i) {
        image_.assign(columns, 0.0);
        for (std::int64_t e = entry_begin_[i]; e < entry_begin_[i + 1]; ++e) {
            kernel.add_scaled(2.0 * entry_value_[e], frame.gram().row(entry_column_[e]), image_.data(), columns);
        }
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (std::int64_t e = entry_begin_[j]; e < entry_begin_[j + 1]; ++e) {
                sum += entry_value_[e] * image_[entry_column_[e]];
            }
            hessian_[i * count + j] = hessian_[j * count + i] = sum;
        }
        hessian_[i * count + i] += 2.0 * frame.terms().quadratic[free_[i]];
    }
    if (curvature) add_curvature(frame);
}

void QuadraticModel::add_curvature(const Frame& frame) {
    const Structure& structure = frame.structure();
    for (std::int64_t n = 0; n < structure.num_columns(); ++n) {
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
                hessian_[i * size() + j] += product;
                hessian_[j * size() + i] += product;  // twice on the diagonal: (u v)'' = 2 u' v'
            }
        }
    }
}

bool NewtonStep::take(Frame& frame) {
    for (const bool curvature : {true, false}) {
        model_.form(frame, curvature);
        if (direction() && search(frame)) return true;
        if (frame.structure().is_linear()) break;
    }
    return false;
}

bool NewtonStep::direction() {
    const std::int64_t count = model_.size();
    step_.assign(count, 0.0);
    held_.assign(count, 0);
    for (std::int64_t left = count; left > 0;) {
        active_.clear();
        for (std::int64_t i = 0; i < count; ++i) {
            if (!held_[i]) active_.push_back(static_cast<std::int32_t>(i));
        }
        if (!solve_over(active_)) return false;
        left = 0;
        for (const std::int32_t i : active_) {
            const double x = model_.at()[i];
            const double inside = std::clamp(step_[i], model_.low()[i] - x, model_.high()[i] - x);
            if (inside == step_[i]) {
                ++left;
                continue;
            }
            step_[i] = inside;
            held_[i] = 1;
        }
        if (left == static_cast<std::int64_t>(active_.size())) break;
    }
    double along = 0.0;
    for (std::int64_t i = 0; i < count; ++i) along += step_[i] * model_.gradient()[i];
    return along < 0.0;
}

/// step_ over `active`, given the steps of the others; a ridge where the Hessian is singular.
bool NewtonStep::solve_over(const std::vector<std::int32_t>& active) {
    const std::int64_t count = model_.size(), n = static_cast<std::int64_t>(active.size());
    const std::vector<double>& hessian = model_.hessian();
    double largest = 0.0;
    rhs_.resize(n);
    for (std::int64_t a = 0; a < n; ++a) {
        const double* row = hessian.data() + active[a] * count;
        rhs_[a] = -model_.gradient()[active[a]];
        for (std::int64_t j = 0; j < count; ++j) {
            if (held_[j]) rhs_[a] -= row[j] * step_[j];
        }
        largest = std::max(largest, row[active[a]]);
    }
    factor_.resize(n * n);
    for (double ridge = 0.0; ridge <= 1e-4; ridge = ridge == 0.0 ? 1e-12 : 100.0 * ridge) {
        for (std::int64_t a = 0; a < n; ++a) {
            for (std::int64_t b = a; b < n; ++b) factor_[a * n + b] = hessian[active[a] * count + active[b]];
            factor_[a * n + a] += ridge * largest;
        }
        if (!kernels().cholesky(factor_.data(), n, n, 1e-13)) continue;
        kernels().cholesky_solve(factor_.data(), n, n, rhs_.data());
        for (std::int64_t a = 0; a < n; ++a) step_[active[a]] = rhs_[a];
        return true;
    }
    return false;
}

bool NewtonStep::search(Frame& frame) {
    const std::vector<std::int32_t>& free = model_.free();
    double along = 0.0;
    for (std::size_t i = 0; i < free.size(); ++i) along += step_[i] * model_.gradient()[i];
    for (double length = 1.0; length > 1e-3; length *= 0.5) {
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
