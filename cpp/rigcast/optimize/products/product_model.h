#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/core/tent.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {

/// One factor of an activation: a variable x itself, or a tent over it.
struct Driver {
    std::int32_t variable = 0;
    bool is_tent = false;
    Tent<double> tent;  // used if is_tent

    RIGCAST_DEVICE double value(double x) const { return is_tent ? tent.value(x) : x; }
    /// The slope at x to its right (side > 0) or left. The two differ at the knots of a tent.
    RIGCAST_DEVICE double slope(double x, int side) const { return is_tent ? tent.slope(x, side) : 1.0; }
};

/// The activations phi(x) of N columns as functions of K variables x: each is the product of its drivers. In a
/// blendshape rig the columns are deltas and correctives, the variables are weights. Tied shapes share one variable, so
/// a column may contain a variable more than once. Immutable and thread-safe.
class ProductModel {
public:
    /// `columns` holds one list of drivers per column.
    ProductModel(std::int64_t num_variables, std::vector<std::vector<Driver>> columns);

    std::int64_t num_variables() const { return static_cast<std::int64_t>(users_begin_.size()) - 1; }
    std::int64_t num_columns() const { return static_cast<std::int64_t>(drivers_begin_.size()) - 1; }
    std::span<const Driver> drivers(std::int64_t column) const { return between(drivers_, drivers_begin_, column); }
    /// The columns that a variable drives, ascending.
    std::span<const std::int32_t> users(std::int64_t variable) const { return between(users_, users_begin_, variable); }
    /// The values of a variable at which the slope of some activation jumps, ascending.
    std::span<const double> knots(std::int64_t variable) const { return between(knots_, knots_begin_, variable); }
    /// The highest power of a variable in one column: 1 unless shapes share it.
    int degree(std::int64_t variable) const { return degree_[variable]; }
    bool has_knots() const { return !knots_.empty(); }
    /// Returns true if every column is a single variable: the objective is then convex.
    bool is_linear() const { return is_linear_; }

    /// phi_column(x).
    double activation(std::int64_t column, const double* x) const {
        const auto [first, second] = plain_products_[column];
        if (second >= 0) return x[first] * x[second];
        return first >= 0 ? x[first] : product(column, x);
    }
    /// d phi_column / d x_variable for a variable that drives the column, to its right (side > 0) or left.
    double slope(std::int64_t column, std::int64_t variable, const double* x, int side) const {
        const auto [first, second] = plain_products_[column];
        if (second >= 0) return x[first == variable ? second : first];
        return first >= 0 ? 1.0 : product_slope(column, variable, x, side);
    }
    /// Writes J^T y (K) for the slopes J (N, K) of all activations, to the right of each variable.
    void pull_back(const double* x, const double* y, double* result) const;

    /// The variables of a column that is one variable (`second` is -1) or the product of two different ones. Most
    /// columns of a rig are; `first` is -1 for all others.
    struct PlainProduct {
        std::int32_t first;
        std::int32_t second;
    };
    PlainProduct plain_product(std::int64_t column) const { return plain_products_[column]; }

    /// The piece on one side of x between neighboring knots of the variable, inside [lower, upper].
    Piece piece(std::int64_t variable, double x, int side, double lower, double upper) const {
        const std::span<const double> all = knots(variable);
        return piece_beside(all.data(), static_cast<std::int64_t>(all.size()), x, side, lower, upper);
    }

private:
    static PlainProduct find_plain_product(const std::vector<Driver>& drivers);
    double product(std::int64_t column, const double* x) const;
    double product_slope(std::int64_t column, std::int64_t variable, const double* x, int side) const;

    template <class T>
    static std::span<const T> between(const std::vector<T>& all, const std::vector<std::int64_t>& begin,
                                      std::int64_t i) {
        return {all.data() + begin[i], static_cast<std::size_t>(begin[i + 1] - begin[i])};
    }

    std::vector<Driver> drivers_;               // by columns
    std::vector<std::int64_t> drivers_begin_;   // (N + 1)
    std::vector<std::int32_t> users_;           // by variables
    std::vector<std::int64_t> users_begin_;     // (K + 1)
    std::vector<double> knots_;                 // by variables
    std::vector<std::int64_t> knots_begin_;     // (K + 1)
    std::vector<int> degree_;                   // (K)
    std::vector<PlainProduct> plain_products_;  // (N)
    bool is_linear_ = true;
};

}  // namespace rigcast::optimize
