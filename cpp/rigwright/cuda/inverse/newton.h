#pragma once
#include <cstdint>

#include "rigwright/cuda/inverse/point.h"
#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::cuda {

/// Start of row i of a lower triangle kept row by row.
RIGWRIGHT_DEVICE inline std::int64_t triangle(std::int64_t i) {
    return i * (i + 1) / 2;
}

/// Newton steps over the free variables of one frame, by a team; what optimize::NewtonStep does, step by step: free
/// variables (off their bounds and the kinks of tents, or with descent away from them) stay on the piece of their range
/// between knots; those that would leave are put on its end and the others solved for again; a line search makes sure
/// that the objective falls.
///
/// The Hessian 2 J^T G J + 2 sum_n r_n d^2 phi_n is summed entry by entry over the columns of two variables: no thread
/// adds to what another adds to. Its factor is L D L^T, whose column k needs one barrier only, with the right-hand side
/// as one row more, so that it is solved for on the way; rows go to shared memory where they fit.
template <class Team>
class InverseNewton {
public:
    /// Of `Arena` near the threads, and of a block's own global memory. Of the former what is left holds
    /// factorizations.
    RIGWRIGHT_DEVICE static std::int64_t num_doubles(std::int64_t variables, std::int64_t users) {
        return 4 * variables + users + 5 * ((variables + 1) / 2) + 1;
    }
    RIGWRIGHT_DEVICE static std::int64_t num_far(std::int64_t variables) {
        return triangle(variables) + triangle(variables + 1);
    }

    RIGWRIGHT_TEAM InverseNewton(InversePoint<Team>& point, Arena& near, Arena far, double* factor_end)
        : point_(point), team_(point.team()), rig_(point.rig()) {
        const int variables = rig_.num_variables;
        for (double** list : {&gradient_, &low_, &high_, &step_}) *list = near.doubles(variables);
        jacobian_ = near.doubles(rig_.user_begin[variables]);
        for (std::int32_t** list : {&side_, &position_, &free_, &held_, &active_}) *list = near.integers(variables);
        counts_ = near.integers(2);
        hessian_ = far.doubles(triangle(variables));
        far_factor_ = far.doubles(triangle(variables + 1));
        near_factor_ = near.next;
        near_size_ = factor_end - near.next;
    }

    /// Finds the free variables. Returns the steepest descent along a single variable that the box allows; infinity
    /// after an overflow.
    RIGWRIGHT_TEAM double look() {
        const InverseTerms& terms = point_.terms();
        const double* x = point_.x();
        team_.each(rig_.num_variables, [&](int k) {
            const double lower = terms.lower[k], upper = terms.upper[k];
            side_[k] = 0;
            gradient_[k] = 0.0;
            position_[k] = -1;
            const bool rests = lower == upper || rig_.user_begin[k] == rig_.user_begin[k + 1];
            if (rests && x[k] == x[k]) return;  // unless it is NaN
            const double* knots = rig_.knots + rig_.knot_begin[k];
            const std::int32_t num_knots = rig_.knot_begin[k + 1] - rig_.knot_begin[k];
            bool kink = false;
            for (std::int32_t i = 0; i < num_knots; ++i) kink = kink || knots[i] == x[k];
            const double right = point_.slope(k, 1), left = kink ? point_.slope(k, -1) : right;
            const optimize::Descents descent = optimize::descents(x[k], lower, upper, left, right);
            if (!optimize::is_smooth(x[k], lower, upper, left, right) && !descent.any()) return;
            side_[k] = descent.side();
            gradient_[k] = side_[k] > 0 ? right : left;
            const optimize::Piece piece = optimize::piece_beside(knots, num_knots, x[k], side_[k], lower, upper);
            low_[k] = piece.low;
            high_[k] = piece.high;
        });
        team_.each(1, [&](int) {
            int count = 0;
            for (int k = 0; k < rig_.num_variables; ++k) {
                if (side_[k] == 0) continue;
                position_[k] = count;
                free_[count++] = k;
            }
            counts_[0] = count;
        });
        num_free_ = counts_[0];
        return team_.largest(num_free_, [&](int i) {
            const int k = free_[i];
            const double descent = side_[k] > 0 ? -gradient_[k] : gradient_[k];
            return descent == descent ? descent : HUGE_VAL;  // a maximum would drop NaN
        });
    }

    /// One step from the point looked at. False, with the point unmoved, where none lowers the objective.
    RIGWRIGHT_TEAM bool take() {
        RIGWRIGHT_ROLLED
        for (int curvature = 1; curvature >= 0; --curvature) {
            form(curvature != 0);
            if (direction() && search()) return true;
        }
        return false;
    }

private:
    RIGWRIGHT_TEAM double& hessian(int i, int j) const { return hessian_[i >= j ? triangle(i) + j : triangle(j) + i]; }

    RIGWRIGHT_TEAM void form(bool curvature) {
        const double* x = point_.x();
        team_.each(rig_.user_begin[rig_.num_variables], [&](int u) {
            const int k = rig_.user_variable[u];
            jacobian_[u] = side_[k] != 0 ? rig_.slope(rig_.user_column[u], k, x, side_[k]) : 0.0;
        });
        const auto width = [](int row) { return row + 1; };
        team_.rows(num_free_, width, [&](int row, int column) {
            const int i = free_[row], j = free_[column];
            double sum = row == column ? point_.terms().quadratic[i] : 0.0;
            for (std::int32_t u = rig_.user_begin[i]; u < rig_.user_begin[i + 1]; ++u) {
                const int n = rig_.user_column[u];
                const double* gram = rig_.gram + static_cast<std::int64_t>(n) * rig_.num_columns;
                for (std::int32_t v = rig_.user_begin[j]; v < rig_.user_begin[j + 1]; ++v) {
                    const int m = rig_.user_column[v];
                    sum += jacobian_[u] * gram[m] * jacobian_[v];
                    if (curvature && n == m && i != j) {
                        sum += point_.residual()[n] * rig_.cross(n, i, side_[i], j, side_[j], x);
                    }
                }
            }
            hessian(row, column) = 2.0 * sum;
        });
    }

    /// step_ (by free variables), and held_: those that stop at an end of their piece.
    RIGWRIGHT_TEAM bool direction() {
        const double* x = point_.x();
        team_.each(num_free_, [&](int i) {
            step_[i] = 0.0;
            held_[i] = 0;
        });
        RIGWRIGHT_ROLLED
        for (int before = num_free_ + 1;;) {
            team_.each(1, [&](int) {
                int count = 0;
                for (int i = 0; i < num_free_; ++i) {
                    if (held_[i] == 0) active_[count++] = i;
                }
                counts_[1] = count;
            });
            const int count = counts_[1];
            if (count == 0 || count == before) break;
            before = count;
            if (!solve_over(count)) return false;
            const double* solved = factor(count) + triangle(count);
            team_.each(count, [&](int a) {
                const int i = active_[a], k = free_[i];
                const double inside = optimize::step_within(solved[a], x[k], low_[k], high_[k]);
                step_[i] = inside;
                held_[i] = inside != solved[a] ? 1 : 0;
            });
        }
        return along() < 0.0;
    }

    RIGWRIGHT_TEAM double along() const {
        const auto add = [&](int i, Sums<1>& sums) { sums.value[0] += step_[i] * gradient_[free_[i]]; };
        return team_.template sum<1>(num_free_, add).value[0];
    }

    RIGWRIGHT_TEAM double* factor(int count) const {
        return triangle(count + 1) <= near_size_ ? near_factor_ : far_factor_;
    }

    /// Solves for the steps of the active variables, given those of the held ones, into the last row of the factor;
    /// with a ridge where the Hessian is singular.
    RIGWRIGHT_TEAM bool solve_over(int count) {
        double* rows = factor(count);
        const auto width = [&](int row) { return row < count ? row + 1 : count; };
        const double largest = team_.largest(count, [&](int a) { return hessian(active_[a], active_[a]); });
        RIGWRIGHT_ROLLED
        for (double ridge = 0.0; ridge <= optimize::largest_ridge; ridge = optimize::next_ridge(ridge)) {
            team_.rows(count + 1, width, [&](int row, int column) {
                const int j = active_[column];
                double value = row < count ? hessian(active_[row], j) : -gradient_[free_[j]];
                if (row == column) value += ridge * largest;
                for (int i = 0; row == count && i < num_free_; ++i) {
                    if (held_[i] != 0) value -= hessian(i, j) * step_[i];
                }
                rows[triangle(row) + column] = value;
            });
            if (!eliminate(rows, count, ridge * largest)) continue;
            substitute_back(rows, count);
            return true;
        }
        return false;
    }

    /// L D L^T in place: row i holds L_ik D_k, then D_i. False where a pivot falls below rounding.
    RIGWRIGHT_TEAM bool eliminate(double* rows, int count, double ridge) {
        for (int k = 0; k < count; ++k) {
            const double pivot = rows[triangle(k) + k];
            if (!(pivot > optimize::smallest_pivot * (hessian(active_[k], active_[k]) + ridge))) return false;
            const double inverse = 1.0 / pivot;
            const auto width = [&](int row) { return row + k + 1 < count ? row + 1 : row; };
            team_.rows(count - k, width, [&](int row, int column) {
                const std::int64_t i = triangle(row + k + 1) + k, j = triangle(column + k + 1) + k;
                rows[i + column + 1] -= rows[i] * inverse * rows[j];
            });
        }
        return true;
    }

    RIGWRIGHT_TEAM void substitute_back(double* rows, int count) {
        double* z = rows + triangle(count);
        for (int k = count - 1; k >= 0; --k) {
            const double value = z[k] / rows[triangle(k) + k];
            team_.each(k + 1, [&](int j) { z[j] = j < k ? z[j] - rows[triangle(k) + j] * value : value; });
        }
    }

    RIGWRIGHT_TEAM bool search() {
        const double* x = point_.x();
        const double slope = along();
        RIGWRIGHT_ROLLED
        for (double length = 1.0; length > optimize::shortest_step; length *= optimize::step_shrinkage) {
            team_.each(rig_.num_variables, [&](int k) {
                const int i = position_[k];
                point_.next_x()[k] =
                    i < 0 ? x[k] : optimize::after_step(x[k], step_[i], length, held_[i] != 0, low_[k], high_[k]);
            });
            if (optimize::decreases_enough(point_.move(), length, slope)) {
                point_.accept();
                return true;
            }
        }
        return false;
    }

    InversePoint<Team>& point_;
    const Team& team_;
    const InverseRig& rig_;
    double *gradient_, *low_, *high_, *jacobian_;               // by variables; jacobian_ by users
    double* step_;                                              // by free variables
    std::int32_t *side_, *position_, *free_, *held_, *active_;  // side_, position_ by variables; side 0: not free
    std::int32_t* counts_;
    double *hessian_, *far_factor_, *near_factor_;
    std::int64_t near_size_;
    int num_free_ = 0;
};

}  // namespace rigwright::cuda
