#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/core/tent.h"
#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::optimize {

/// What a column's activation is a product of: a variable itself, or a tent over it.
struct Driver {
    std::int32_t variable = 0;
    bool is_tent = false;
    Tent<double> tent;

    RIGWRIGHT_DEVICE double value(double x) const { return is_tent ? tent.value(x) : x; }
    /// Slope on the piece to the right (side > 0) or left of x.
    RIGWRIGHT_DEVICE double slope(double x, int side) const { return is_tent ? tent.slope(x, side) : 1.0; }
};

/// How N columns of a rig depend on K variables: each activation is a product of drivers. A rig's first K columns are
/// its shapes alone; where two shapes share their weight both have the same variable, and a column may then hold a
/// variable more than once.
class ProductModel {
public:
    /// One list of drivers a column.
    ProductModel(std::int64_t num_variables, std::vector<std::vector<Driver>> columns);

    std::int64_t num_variables() const { return static_cast<std::int64_t>(users_begin_.size()) - 1; }
    std::int64_t num_columns() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
    std::span<const Driver> drivers(std::int64_t column) const { return between(drivers_, begin_, column); }
    /// The columns that a variable drives, ascending.
    std::span<const std::int32_t> users(std::int64_t variable) const { return between(users_, users_begin_, variable); }
    /// Places where the slope of some activation jumps, ascending.
    std::span<const double> knots(std::int64_t variable) const { return between(knots_, knots_begin_, variable); }
    /// The highest power of a variable in one column: 1 unless weights are shared.
    int degree(std::int64_t variable) const { return degree_[variable]; }
    bool has_knots() const { return !knots_.empty(); }
    /// Whether every column is a single variable: the objective is convex.
    bool is_linear() const { return is_linear_; }

    double activation(std::int64_t column, const double* x) const {
        const auto [first, second] = plain_[column];
        if (second >= 0) return x[first] * x[second];
        return first >= 0 ? x[first] : product(column, x);
    }
    /// J^T y for the slopes J (N, K) of all activations, to the right of each variable: `result` (K).
    void pull_back(const double* x, const double* y, double* result) const;
    /// The one or two different variables whose plain product a column is; second -1 for one, first -1 for others.
    struct Plain {
        std::int32_t first, second;
    };
    Plain plain(std::int64_t column) const { return plain_[column]; }
    /// Slope of a column's activation along one variable of its own, to one side of it.
    double slope(std::int64_t column, std::int64_t variable, const double* x, int side) const {
        const auto [first, second] = plain_[column];
        if (second >= 0) return x[first == variable ? second : first];
        return first >= 0 ? 1.0 : product_slope(column, variable, x, side);
    }

    /// The piece of a variable's range on one side of x, between the knots next to it, inside [low, high].
    Piece piece(std::int64_t variable, double x, int side, double low, double high) const {
        const std::span<const double> own = knots(variable);
        return piece_beside(own.data(), static_cast<std::int64_t>(own.size()), x, side, low, high);
    }

private:
    static Plain plain_product(const std::vector<Driver>& drivers);
    double product(std::int64_t column, const double* x) const;
    double product_slope(std::int64_t column, std::int64_t variable, const double* x, int side) const;

    template <class T>
    static std::span<const T> between(const std::vector<T>& all, const std::vector<std::int64_t>& begin,
                                      std::int64_t i) {
        return {all.data() + begin[i], static_cast<std::size_t>(begin[i + 1] - begin[i])};
    }

    std::vector<Driver> drivers_;
    std::vector<std::int64_t> begin_{0}, users_begin_{0}, knots_begin_{0};
    std::vector<std::int32_t> users_;
    std::vector<double> knots_;
    std::vector<int> degree_;
    std::vector<Plain> plain_;
    bool is_linear_ = true;
};

}  // namespace rigwright::optimize
