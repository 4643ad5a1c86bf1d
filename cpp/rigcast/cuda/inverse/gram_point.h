#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/cuda/inverse/arena.h"
#include "rigcast/cuda/inverse/product_model.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::cuda {

/// A point x of one frame that a team works on, with its activations phi and half the gradient in them, r = G phi - p,
/// kept up to date: the device's optimize::GramPoint.
template <class Team>
class DeviceGramPoint {
public:
    /// Doubles that the constructor takes from its arenas: of what sweeps use, and of all else.
    RIGCAST_DEVICE static std::int64_t num_near(const DeviceProductModel& model) {
        return model.num_variables + 2 * model.num_columns + 2 * model.most_users;
    }
    RIGCAST_DEVICE static std::int64_t num_far(const DeviceProductModel& model) {
        return model.num_variables + 3 * model.num_columns;
    }

    /// `near` and `far` may be one arena.
    RIGCAST_TEAM DeviceGramPoint(const Team& team, const DeviceProductModel& model, Arena& near, Arena& far)
        : team_(team), model_(model) {
        now_ = {near.doubles(model.num_variables), near.doubles(model.num_columns), near.doubles(model.num_columns)};
        value_ = near.doubles(model.most_users);
        slope_ = near.doubles(model.most_users);
        next_ = {far.doubles(model.num_variables), far.doubles(model.num_columns), far.doubles(model.num_columns)};
        change_ = far.doubles(model.num_columns);
    }

    RIGCAST_TEAM const Team& team() const { return team_; }
    RIGCAST_TEAM const DeviceProductModel& model() const { return model_; }
    RIGCAST_TEAM const DeviceTerms& terms() const { return terms_; }
    RIGCAST_TEAM const double* x() const { return now_.x; }
    RIGCAST_TEAM const double* residual() const { return now_.r; }
    /// (K): where the next `prepare_move` goes; written by the caller.
    RIGCAST_TEAM double* next_x() const { return next_.x; }
    /// (N): working memory of the caller until its next call of this class.
    RIGCAST_TEAM double* scratch() const { return change_; }
    RIGCAST_TEAM void load(const DeviceTerms& terms) { terms_ = terms; }

    /// Moves to the point x(k), k < K, clipped to the box.
    template <class F>
    RIGCAST_TEAM void set(const F& x) {
        team_.each(model_.num_variables,
                   [&](int k) { now_.x[k] = optimize::clamped(x(k), terms_.lower[k], terms_.upper[k]); });
        team_.each(model_.num_columns, [&](int n) { now_.phi[n] = model_.activation(n, now_.x); });
        team_.each(model_.num_columns, [&](int n) { now_.r[n] = gram_product(now_.phi, n) - terms_.projection[n]; });
    }

    /// phi^T G phi - 2 p^T phi + linear^T x + quadratic x^2.
    RIGCAST_TEAM double objective() const {
        const int columns = model_.num_columns;
        const auto add = [&](int i, Sums<1>& sums) {
            const int k = i - columns;
            sums.value[0] += i < columns ? now_.phi[i] * (now_.r[i] - terms_.projection[i])
                                         : now_.x[k] * (terms_.linear[k] + terms_.quadratic[k] * now_.x[k]);
        };
        return team_.template sum<1>(columns + model_.num_variables, add).value[0];
    }

    /// Slope of the objective along a variable, to one side of it (1 right, -1 left). Any thread may call it alone.
    RIGCAST_TEAM double slope(int k, int side) const {
        double sum = 0.0;
        for (std::int32_t u = model_.user_begin[k]; u < model_.user_begin[k + 1]; ++u) {
            const int n = model_.user_column[u];
            sum += model_.slope(n, k, now_.x, side) * now_.r[n];
        }
        return 2.0 * (sum + terms_.quadratic[k] * now_.x[k]) + terms_.linear[k];
    }

    /// Moves every variable in turn to its best value in the box. Returns true if one moved.
    RIGCAST_TEAM bool sweep() {
        bool moved = false;
        for (int k = 0; k < model_.num_variables; ++k) moved = minimize(k) || moved;
        return moved;
    }

    /// Saves the variables for `distance` and `restore`. The copy lies in next_x(), which sweeps do not use.
    RIGCAST_TEAM void save() {
        team_.each(model_.num_variables, [&](int k) { next_.x[k] = now_.x[k]; });
    }
    /// Sum of the distances of the variables from the saved ones.
    RIGCAST_TEAM double distance() const {
        const auto add = [&](int k, Sums<1>& sums) { sums.value[0] += fabs(now_.x[k] - next_.x[k]); };
        return team_.template sum<1>(model_.num_variables, add).value[0];
    }
    RIGCAST_TEAM void restore() {
        set([&](int k) { return next_.x[k]; });
    }

    /// Prepares a move of all variables to next_x(), for `accept`. Returns the change of the objective, exact to
    /// rounding.
    RIGCAST_TEAM double prepare_move() {
        const int columns = model_.num_columns;
        team_.each(columns, [&](int n) {
            next_.phi[n] = model_.activation(n, next_.x);
            change_[n] = next_.phi[n] - now_.phi[n];
        });
        team_.each(columns, [&](int n) { next_.r[n] = now_.r[n] + gram_product(change_, n); });
        const auto add = [&](int i, Sums<1>& sums) {
            const int k = i - columns;
            sums.value[0] += i < columns ? change_[i] * (next_.r[i] + now_.r[i])
                                         : (next_.x[k] - now_.x[k]) *
                                               (terms_.linear[k] + terms_.quadratic[k] * (next_.x[k] + now_.x[k]));
        };
        return team_.template sum<1>(columns + model_.num_variables, add).value[0];
    }
    /// Makes the move that was prepared.
    RIGCAST_TEAM void accept() {
        const Values before = now_;
        now_ = next_;
        next_ = before;
    }

private:
    struct Values {
        double* x;    // (K)
        double* phi;  // (N)
        double* r;    // (N)
    };
    /// A step of one variable.
    struct Step {
        double change;  // of the objective
        double value;   // of the variable after it
    };

    /// (G v)_n, from column n of G, which is symmetric: successive threads read successive numbers.
    RIGCAST_TEAM double gram_product(const double* v, int n) const {
        double sum = 0.0;
        for (int m = 0; m < model_.num_columns; ++m) {
            if (v[m] != 0.0) sum += v[m] * model_.gram[static_cast<std::int64_t>(m) * model_.num_columns + n];
        }
        return sum;
    }

    /// Moves one variable to its best value in the box, over all pieces between knots. Returns true if it moved.
    RIGCAST_TEAM bool minimize(int k) {
        const double x = now_.x[k];
        const double upper = terms_.upper[k];
        double low = terms_.lower[k];
        if (low == upper) return false;
        Step best{0.0, x};
        for (std::int32_t i = model_.knot_begin[k]; i <= model_.knot_begin[k + 1]; ++i) {
            const bool last = i == model_.knot_begin[k + 1];
            const double high = last ? upper : model_.knots[i];
            if (!last && (high <= low || high >= upper)) continue;
            const Step step = best_on_piece(k, low, high);
            if (step.change < best.change) best = step;
            low = high;
        }
        if (best.value == x) return false;
        assign(k, best.value);
        return true;
    }

    /// The best step of a variable to a piece of its range. After a step by h to the piece, the activations that it
    /// drives are phi + value_ + slope_ h, and the objective is a parabola in h.
    RIGCAST_TEAM Step best_on_piece(int k, double low, double high) {
        const std::int32_t* users = model_.user_column + model_.user_begin[k];
        const int count = model_.user_begin[k + 1] - model_.user_begin[k];
        const double x = now_.x[k];
        const double middle = 0.5 * (low + high);
        const bool here = low <= x && x <= high;
        team_.each(count, [&](int u) {
            const optimize::Driver& driver = model_.driver(users[u], k);
            const double others = model_.other_drivers(users[u], k, now_.x);
            const double slope = driver.slope(middle, 1);
            slope_[u] = others * slope;
            value_[u] = here ? 0.0 : others * (driver.value(middle) + slope * (x - middle)) - now_.phi[users[u]];
        });
        const Sums<3> line = team_.template sum<3>(count * count, [&](int e, Sums<3>& sums) {
            const int u = e / count;
            const int v = e % count;
            const double g = model_.gram[static_cast<std::int64_t>(users[u]) * model_.num_columns + users[v]];
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

    /// Moves one variable to a value.
    RIGCAST_TEAM void assign(int k, double value) {
        const std::int32_t* users = model_.user_column + model_.user_begin[k];
        const int count = model_.user_begin[k + 1] - model_.user_begin[k];
        team_.each(count, [&](int u) {
            const int n = users[u];
            value_[u] = model_.driver(n, k).value(value) * model_.other_drivers(n, k, now_.x);
            slope_[u] = value_[u] - now_.phi[n];
        });
        team_.each(model_.num_columns, [&](int n) {
            double sum = now_.r[n];
            for (int u = 0; u < count; ++u) {
                sum += slope_[u] * model_.gram[static_cast<std::int64_t>(users[u]) * model_.num_columns + n];
            }
            now_.r[n] = sum;
            if (n < count) now_.phi[users[n]] = value_[n];
            if (n == 0) now_.x[k] = value;
        });
    }

    const Team& team_;
    const DeviceProductModel& model_;
    DeviceTerms terms_{};
    Values now_;
    Values next_;
    double* change_;  // (N)
    double* value_;   // (most_users), of the columns of one variable, as slope_
    double* slope_;
};

}  // namespace rigcast::cuda
