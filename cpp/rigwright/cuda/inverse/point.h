#pragma once
#include <cmath>
#include <cstdint>

#include "rigwright/cuda/inverse/rig.h"
#include "rigwright/cuda/machine/block.h"
#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::cuda {

/// Hands out parts of one piece of memory.
struct Arena {
    double* next;

    RIGWRIGHT_DEVICE double* doubles(std::int64_t count) {
        double* at = next;
        next += count;
        return at;
    }
    RIGWRIGHT_DEVICE std::int32_t* integers(std::int64_t count) {
        return reinterpret_cast<std::int32_t*>(doubles((count + 1) / 2));
    }
};

/// A point of one frame that a team works on, with what its steps need kept up to date: variables x, activations phi,
/// half the gradient in them r = G phi - p; the device's optimize::GramPoint.
template <class Team>
class InversePoint {
public:
    RIGWRIGHT_DEVICE static std::int64_t num_doubles(std::int64_t variables, std::int64_t columns) {
        return 2 * variables + 7 * columns;
    }

    RIGWRIGHT_TEAM InversePoint(const Team& team, const InverseRig& rig, Arena& arena) : team_(team), rig_(rig) {
        for (Values* values : {&now_, &next_}) {
            *values = {arena.doubles(rig.num_variables), arena.doubles(rig.num_columns),
                       arena.doubles(rig.num_columns)};
        }
        change_ = arena.doubles(rig.num_columns);
        value_ = arena.doubles(rig.num_columns);
        slope_ = arena.doubles(rig.num_columns);
    }

    RIGWRIGHT_TEAM const Team& team() const { return team_; }
    RIGWRIGHT_TEAM const InverseRig& rig() const { return rig_; }
    RIGWRIGHT_TEAM const InverseTerms& terms() const { return terms_; }
    RIGWRIGHT_TEAM const double* x() const { return now_.x; }
    RIGWRIGHT_TEAM const double* residual() const { return now_.r; }
    /// Where `move` goes to.
    RIGWRIGHT_TEAM double* next_x() const { return next_.x; }
    /// (N) working memory until the next call.
    RIGWRIGHT_TEAM double* scratch() const { return change_; }
    RIGWRIGHT_TEAM void load(const InverseTerms& terms) { terms_ = terms; }

    /// Moves to the point of the box next to x(k).
    template <class F>
    RIGWRIGHT_TEAM void set(const F& x) {
        team_.each(rig_.num_variables,
                   [&](int k) { now_.x[k] = optimize::clamped(x(k), terms_.lower[k], terms_.upper[k]); });
        team_.each(rig_.num_columns, [&](int n) { now_.phi[n] = rig_.activation(n, now_.x); });
        team_.each(rig_.num_columns, [&](int n) { now_.r[n] = image(now_.phi, n) - terms_.projection[n]; });
    }

    /// phi^T G phi - 2 p^T phi + linear^T x + quadratic x^2.
    RIGWRIGHT_TEAM double objective() const {
        const int columns = rig_.num_columns;
        const auto add = [&](int i, Sums<1>& sums) {
            const int k = i - columns;
            sums.value[0] += i < columns ? now_.phi[i] * (now_.r[i] - terms_.projection[i])
                                         : now_.x[k] * (terms_.linear[k] + terms_.quadratic[k] * now_.x[k]);
        };
        return team_.template sum<1>(columns + rig_.num_variables, add).value[0];
    }

    /// Slope of the objective along a variable, to one side of it. Any thread by itself.
    RIGWRIGHT_TEAM double slope(int k, int side) const {
        double sum = 0.0;
        for (std::int32_t u = rig_.user_begin[k]; u < rig_.user_begin[k + 1]; ++u) {
            const int n = rig_.user_column[u];
            sum += rig_.slope(n, k, now_.x, side) * now_.r[n];
        }
        return 2.0 * (sum + terms_.quadratic[k] * now_.x[k]) + terms_.linear[k];
    }

    /// Every variable in turn to its best value in the box; whether one moved.
    RIGWRIGHT_TEAM bool sweep() {
        bool moved = false;
        for (int k = 0; k < rig_.num_variables; ++k) moved = minimize(k) || moved;
        return moved;
    }

    /// Copies the variables to next_x(), which sweeps leave alone, for `distance` and `put_back`.
    RIGWRIGHT_TEAM void keep() {
        team_.each(rig_.num_variables, [&](int k) { next_.x[k] = now_.x[k]; });
    }
    /// Sum of what the variables have moved by since.
    RIGWRIGHT_TEAM double distance() const {
        const auto add = [&](int k, Sums<1>& sums) { sums.value[0] += fabs(now_.x[k] - next_.x[k]); };
        return team_.template sum<1>(rig_.num_variables, add).value[0];
    }
    RIGWRIGHT_TEAM void put_back() {
        set([&](int k) { return next_.x[k]; });
    }

    /// Prepares the move of all variables to next_x(); the change of the objective, exact to rounding.
    RIGWRIGHT_TEAM double move() {
        const int columns = rig_.num_columns;
        team_.each(columns, [&](int n) {
            next_.phi[n] = rig_.activation(n, next_.x);
            change_[n] = next_.phi[n] - now_.phi[n];
        });
        team_.each(columns, [&](int n) { next_.r[n] = now_.r[n] + image(change_, n); });
        const auto add = [&](int i, Sums<1>& sums) {
            const int k = i - columns;
            sums.value[0] += i < columns ? change_[i] * (next_.r[i] + now_.r[i])
                                         : (next_.x[k] - now_.x[k]) *
                                               (terms_.linear[k] + terms_.quadratic[k] * (next_.x[k] + now_.x[k]));
        };
        return team_.template sum<1>(columns + rig_.num_variables, add).value[0];
    }
    RIGWRIGHT_TEAM void accept() {
        const Values before = now_;
        now_ = next_;
        next_ = before;
    }

private:
    struct Values {
        double *x, *phi, *r;
    };
    struct Step {
        double change, to;  // of the objective, where the variable goes
    };

    /// (G v)_n; neighboring threads read neighboring numbers of G, which is symmetric.
    RIGWRIGHT_TEAM double image(const double* v, int n) const {
        double sum = 0.0;
        for (int m = 0; m < rig_.num_columns; ++m) {
            if (v[m] != 0.0) sum += v[m] * rig_.gram[static_cast<std::int64_t>(m) * rig_.num_columns + n];
        }
        return sum;
    }

    /// Moves one variable to its best value in the box, over all pieces between knots; whether it moved.
    RIGWRIGHT_TEAM bool minimize(int k) {
        const double x = now_.x[k], upper = terms_.upper[k];
        double low = terms_.lower[k];
        if (low == upper) return false;
        Step best{0.0, x};
        for (std::int32_t i = rig_.knot_begin[k]; i <= rig_.knot_begin[k + 1]; ++i) {
            const bool last = i == rig_.knot_begin[k + 1];
            const double high = last ? upper : rig_.knots[i];
            if (!last && (high <= low || high >= upper)) continue;
            const Step step = best_on(k, low, high);
            if (step.change < best.change) best = step;
            low = high;
        }
        if (best.to == x) return false;
        assign(k, best.to);
        return true;
    }

    /// The best value of a variable on a piece, where its users' activations are phi + value + slope h in its step h
    /// and the objective is a parabola.
    RIGWRIGHT_TEAM Step best_on(int k, double low, double high) {
        const std::int32_t* users = rig_.user_column + rig_.user_begin[k];
        const int count = rig_.user_begin[k + 1] - rig_.user_begin[k];
        const double x = now_.x[k], middle = 0.5 * (low + high);
        const bool here = low <= x && x <= high;
        team_.each(count, [&](int u) {
            const optimize::Driver& own = rig_.factor(users[u], k);
            const double others = rig_.without(users[u], k, now_.x), slope = own.slope(middle, 1);
            slope_[u] = others * slope;
            value_[u] = here ? 0.0 : others * (own.value(middle) + slope * (x - middle)) - now_.phi[users[u]];
        });
        const Sums<3> line = team_.template sum<3>(count * count, [&](int e, Sums<3>& sums) {
            const int u = e / count, v = e % count;
            const double g = rig_.gram[static_cast<std::int64_t>(users[u]) * rig_.num_columns + users[v]];
            const double extra = u == v ? 2.0 * now_.r[users[u]] : 0.0;
            sums.value[0] += value_[u] * (g * value_[v] + extra);
            sums.value[1] += slope_[u] * (2.0 * g * value_[v] + extra);
            sums.value[2] += slope_[u] * g * slope_[v];
        });
        const double c1 = line.value[1] + terms_.linear[k] + 2.0 * terms_.quadratic[k] * x;
        const double c2 = line.value[2] + terms_.quadratic[k];
        const auto change = [&](double h) { return line.value[0] + h * (c1 + h * c2); };
        double h = low - x;
        if (c2 > 0.0) {
            h = optimize::clamped(-c1 / (2.0 * c2), low - x, high - x);
        } else if (change(high - x) < change(h)) {
            h = high - x;
        }
        return {change(h), optimize::clamped(x + h, low, high)};
    }

    RIGWRIGHT_TEAM void assign(int k, double to) {
        const std::int32_t* users = rig_.user_column + rig_.user_begin[k];
        const int count = rig_.user_begin[k + 1] - rig_.user_begin[k];
        team_.each(count, [&](int u) {
            const int n = users[u];
            value_[u] = rig_.factor(n, k).value(to) * rig_.without(n, k, now_.x);
            slope_[u] = value_[u] - now_.phi[n];
        });
        team_.each(rig_.num_columns, [&](int n) {
            double sum = now_.r[n];
            for (int u = 0; u < count; ++u) {
                sum += slope_[u] * rig_.gram[static_cast<std::int64_t>(users[u]) * rig_.num_columns + n];
            }
            now_.r[n] = sum;
            if (n < count) now_.phi[users[n]] = value_[n];
            if (n == 0) now_.x[k] = to;
        });
    }

    const Team& team_;
    const InverseRig& rig_;
    InverseTerms terms_{};
    Values now_, next_;
    double *change_, *value_, *slope_;  // (N)
};

}  // namespace rigwright::cuda
