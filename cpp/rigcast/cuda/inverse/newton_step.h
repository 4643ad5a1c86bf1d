#pragma once
#include <cstdint>

#include "rigcast/cuda/inverse/gram_point.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::cuda {

/// Index of row i of a lower triangle that is stored row by row; also the size of a triangle of i rows.
RIGCAST_DEVICE inline std::int64_t triangle(std::int64_t i) {
    return i * (i + 1) / 2;
}

/// Newton steps over the free variables of one frame, by a team: the device's optimize::NewtonStep, step by step, with
/// the rules of optimize/products/step_rules.h.
///
/// Method. Free variables (off their bounds and the knots of tents, or with descent away from them) stay on the piece
/// of their range between knots. Variables that would leave it are fixed at its end, and the others are solved for
/// again. A line search makes the objective fall.
/// Parallelism. Each entry of the Hessian 2 J^T G J + 2 sum_n r_n d^2 phi_n is summed by one thread, over the columns
/// of two variables. The factorization is L D L^T, with one barrier per column; the right-hand side is its last row, so
/// that forward substitution comes with it. Its rows lie in shared memory if they fit.
template <class Team>
class DeviceNewtonStep {
public:
    /// Doubles that the constructor takes from its arena of vectors. What the arena has left holds factorizations.
    RIGCAST_DEVICE static std::int64_t num_doubles(std::int64_t variables, std::int64_t users) {
        return 4 * variables + users + 5 * ((variables + 1) / 2) + 1;
    }
    /// Doubles that the constructor takes from its arena of matrices.
    RIGCAST_DEVICE static std::int64_t num_matrix_doubles(std::int64_t variables) {
        return triangle(variables) + triangle(variables + 1);
    }

    /// `factorization_end`: the end of the memory of `vectors`.
    RIGCAST_TEAM DeviceNewtonStep(DeviceGramPoint<Team>& point, Arena& vectors, Arena matrices,
                                  double* factorization_end)
        : point_(point), team_(point.team()), model_(point.model()) {
        const int variables = model_.num_variables;
        for (double** list : {&gradient_, &low_, &high_, &step_}) *list = vectors.doubles(variables);
        jacobian_ = vectors.doubles(model_.user_begin[variables]);
        for (std::int32_t** list : {&side_, &position_, &free_, &is_fixed_, &active_}) {
            *list = vectors.integers(variables);
        }
        counts_ = vectors.integers(2);
        hessian_ = matrices.doubles(triangle(variables));
        large_factorization_ = matrices.doubles(triangle(variables + 1));
        small_factorization_ = vectors.next;
        small_size_ = factorization_end - vectors.next;
    }

    /// Finds the free variables at the point, their gradient and their pieces. Returns the optimality: the steepest
    /// descent along a single variable that the box allows; infinity after an overflow.
    RIGCAST_TEAM double linearize() {
        const DeviceTerms& terms = point_.terms();
        const double* x = point_.x();
        team_.each(model_.num_variables, [&](int k) {
            const double lower = terms.lower[k];
            const double upper = terms.upper[k];
            side_[k] = 0;
            gradient_[k] = 0.0;
            position_[k] = -1;
            const bool cannot_move = lower == upper || model_.user_begin[k] == model_.user_begin[k + 1];
            if (cannot_move && x[k] == x[k]) return;  // a NaN must reach the optimality
            const double* knots = model_.knots + model_.knot_begin[k];
            const std::int32_t num_knots = model_.knot_begin[k + 1] - model_.knot_begin[k];
            bool at_knot = false;
            for (std::int32_t i = 0; i < num_knots; ++i) at_knot = at_knot || knots[i] == x[k];
            const double right = point_.slope(k, 1);
            const double left = at_knot ? point_.slope(k, -1) : right;
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
            for (int k = 0; k < model_.num_variables; ++k) {
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
            return descent == descent ? descent : HUGE_VAL;  // the maximum ignores NaN
        });
    }

    /// Makes one step from the point of the last `linearize`. Returns false, with the point unmoved, if no step lowers
    /// the objective.
    RIGCAST_TEAM bool step() {
        RIGCAST_ROLLED
        for (int curvature = 1; curvature >= 0; --curvature) {
            form_hessian(curvature != 0);
            if (find_direction() && search()) return true;
        }
        return false;
    }

private:
    RIGCAST_TEAM double& hessian(int i, int j) const { return hessian_[i >= j ? triangle(i) + j : triangle(j) + i]; }

    /// Forms the Hessian over the free variables; without `curvature`, its first part.
    RIGCAST_TEAM void form_hessian(bool curvature) {
        const double* x = point_.x();
        team_.each(model_.user_begin[model_.num_variables], [&](int u) {
            const int k = model_.user_variable[u];
            jacobian_[u] = side_[k] != 0 ? model_.slope(model_.user_column[u], k, x, side_[k]) : 0.0;
        });
        const auto width = [](int row) { return row + 1; };
        team_.rows(num_free_, width, [&](int row, int column) {
            const int i = free_[row];
            const int j = free_[column];
            double sum = row == column ? point_.terms().quadratic[i] : 0.0;
            for (std::int32_t u = model_.user_begin[i]; u < model_.user_begin[i + 1]; ++u) {
                const int n = model_.user_column[u];
                const double* gram = model_.gram + static_cast<std::int64_t>(n) * model_.num_columns;
                for (std::int32_t v = model_.user_begin[j]; v < model_.user_begin[j + 1]; ++v) {
                    const int m = model_.user_column[v];
                    sum += jacobian_[u] * gram[m] * jacobian_[v];
                    if (curvature && n == m && i != j) {
                        sum += point_.residual()[n] * model_.mixed_derivative(n, i, side_[i], j, side_[j], x);
                    }
                }
            }
            hessian(row, column) = 2.0 * sum;
        });
    }

    /// Finds step_, and in is_fixed_ the variables that it moves to an end of their piece. Returns false if it is no
    /// descent direction.
    RIGCAST_TEAM bool find_direction() {
        const double* x = point_.x();
        team_.each(num_free_, [&](int i) {
            step_[i] = 0.0;
            is_fixed_[i] = 0;
        });
        RIGCAST_ROLLED
        for (int before = num_free_ + 1;;) {
            team_.each(1, [&](int) {
                int count = 0;
                for (int i = 0; i < num_free_; ++i) {
                    if (is_fixed_[i] == 0) active_[count++] = i;
                }
                counts_[1] = count;
            });
            const int count = counts_[1];
            if (count == 0 || count == before) break;
            before = count;
            if (!solve_over(count)) return false;
            const double* solved = factorization(count) + triangle(count);
            team_.each(count, [&](int a) {
                const int i = active_[a];
                const int k = free_[i];
                const double inside = optimize::step_within(solved[a], x[k], low_[k], high_[k]);
                step_[i] = inside;
                is_fixed_[i] = inside != solved[a] ? 1 : 0;
            });
        }
        return slope_along_step() < 0.0;
    }

    RIGCAST_TEAM double slope_along_step() const {
        const auto add = [&](int i, Sums<1>& sums) { sums.value[0] += step_[i] * gradient_[free_[i]]; };
        return team_.template sum<1>(num_free_, add).value[0];
    }

    RIGCAST_TEAM double* factorization(int count) const {
        return triangle(count + 1) <= small_size_ ? small_factorization_ : large_factorization_;
    }

    /// Solves for the steps of the active variables, given those of the fixed ones, into the last row of the
    /// factorization. Adds a ridge if the Hessian is singular. Returns false if no ridge helps.
    RIGCAST_TEAM bool solve_over(int count) {
        double* rows = factorization(count);
        const auto width = [&](int row) { return row < count ? row + 1 : count; };
        const double largest = team_.largest(count, [&](int a) { return hessian(active_[a], active_[a]); });
        RIGCAST_ROLLED
        for (double ridge = 0.0; ridge <= optimize::largest_ridge; ridge = optimize::next_ridge(ridge)) {
            team_.rows(count + 1, width, [&](int row, int column) {
                const int j = active_[column];
                double value = row < count ? hessian(active_[row], j) : -gradient_[free_[j]];
                if (row == column) value += ridge * largest;
                for (int i = 0; row == count && i < num_free_; ++i) {
                    if (is_fixed_[i] != 0) value -= hessian(i, j) * step_[i];
                }
                rows[triangle(row) + column] = value;
            });
            if (!eliminate(rows, count, ridge * largest)) continue;
            substitute_back(rows, count);
            return true;
        }
        return false;
    }

    /// Factorizes L D L^T in place: row i is L_ik D_k, k < i, then D_i. Returns false if a pivot is rounding.
    RIGCAST_TEAM bool eliminate(double* rows, int count, double ridge) {
        for (int k = 0; k < count; ++k) {
            const double pivot = rows[triangle(k) + k];
            if (!(pivot > optimize::smallest_pivot * (hessian(active_[k], active_[k]) + ridge))) return false;
            const double inverse = 1.0 / pivot;
            const auto width = [&](int row) { return row + k + 1 < count ? row + 1 : row; };
            team_.rows(count - k, width, [&](int row, int column) {
                const std::int64_t i = triangle(row + k + 1) + k;
                const std::int64_t j = triangle(column + k + 1) + k;
                rows[i + column + 1] -= rows[i] * inverse * rows[j];
            });
        }
        return true;
    }

    RIGCAST_TEAM void substitute_back(double* rows, int count) {
        double* z = rows + triangle(count);
        for (int k = count - 1; k >= 0; --k) {
            const double value = z[k] / rows[triangle(k) + k];
            team_.each(k + 1, [&](int j) { z[j] = j < k ? z[j] - rows[triangle(k) + j] * value : value; });
        }
    }

    /// Halves step_ until the objective falls enough. Returns false, with the point unmoved, if it does not.
    RIGCAST_TEAM bool search() {
        const double* x = point_.x();
        const double slope = slope_along_step();
        RIGCAST_ROLLED
        for (double length = 1.0; length > optimize::shortest_step; length *= optimize::step_shrinkage) {
            team_.each(model_.num_variables, [&](int k) {
                const int i = position_[k];
                point_.next_x()[k] =
                    i < 0 ? x[k] : optimize::after_step(x[k], step_[i], length, is_fixed_[i] != 0, low_[k], high_[k]);
            });
            if (optimize::decreases_enough(point_.prepare_move(), length, slope)) {
                point_.accept();
                return true;
            }
        }
        return false;
    }

    DeviceGramPoint<Team>& point_;
    const Team& team_;
    const DeviceProductModel& model_;
    double* gradient_;        // (K)
    double* low_;             // (K): the ends of the variables' pieces
    double* high_;            // (K)
    double* jacobian_;        // (U): slopes of activations
    double* step_;            // by free variables
    std::int32_t* side_;      // (K): to which side a variable may move (1 or -1), 0 if it is not free
    std::int32_t* position_;  // (K): in free_, or -1
    std::int32_t* free_;      // the free variables
    std::int32_t* is_fixed_;  // by free variables
    std::int32_t* active_;    // the free variables that are not fixed, as indices into free_
    std::int32_t* counts_;    // of free_ and active_
    double* hessian_;         // lower triangle, by free variables
    double* large_factorization_;
    double* small_factorization_;
    std::int64_t small_size_;
    int num_free_ = 0;
};

}  // namespace rigcast::cuda
