#include "rigcast/optimize/products/quadratic_model.h"

#include <algorithm>
#include <cmath>

#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {

void QuadraticModel::clear(std::int64_t num_variables) {
    free_.variables.clear();
    free_.side.clear();
    free_.position.assign(num_variables, -1);
    gradient_.clear();
    x_.clear();
    low_.clear();
    high_.clear();
}

double QuadraticModel::linearize(const GramPoint& point, Scope scope) {
    const ProductModel& products = point.products();
    const Terms& terms = point.terms();
    clear(products.num_variables());
    right_slopes_.resize(products.num_variables());
    point.slopes(right_slopes_.data());
    double optimality = 0.0;
    for (std::int64_t k = 0; k < products.num_variables(); ++k) {
        const double x = point.x()[k];
        const double lower = terms.lower[k];
        const double upper = terms.upper[k];
        const bool cannot_move = lower == upper || products.users(k).empty();
        if (cannot_move && !std::isnan(x)) continue;
        const double right = right_slopes_[k];
        const double left = products.knots(k).empty() ? right : point.slope(k, -1);
        const Descents descent = descents(x, lower, upper, left, right);
        optimality = steeper(steeper(optimality, descent.up), descent.down);
        const bool at_bound = scope == Scope::with_bounds && (x <= lower || x >= upper);
        if (!is_smooth(x, lower, upper, left, right) && !at_bound && !descent.any()) continue;
        const int side = at_bound ? (x <= lower ? 1 : -1) : descent.side();
        const Piece piece = products.piece(k, x, side, lower, upper);
        free_.position[k] = static_cast<std::int32_t>(free_.size());
        free_.variables.push_back(static_cast<std::int32_t>(k));
        free_.side.push_back(side);
        gradient_.push_back(side > 0 ? right : left);
        x_.push_back(x);
        low_.push_back(piece.low);
        high_.push_back(piece.high);
    }
    return optimality;
}

/// image_ = 2 G J e_variable.
void QuadraticModel::compute_image(const GramPoint& point, std::int32_t variable) {
    row_weights_.clear();
    rows_.clear();
    for (const std::int32_t n : point.products().users(variable)) {
        const double slope = point.products().slope(n, variable, point.x(), free_.side[position(variable)]);
        if (slope == 0.0) continue;
        row_weights_.push_back(2.0 * slope);
        rows_.push_back(point.gram().row(n));
    }
    image_.resize(point.gram().width());
    std::fill(image_.begin(), image_.end(), 0.0);
    linalg::gram_kernels().add_rows(row_weights_.data(), rows_.data(), static_cast<std::int64_t>(rows_.size()),
                                    image_.data(), point.gram().width());
}

double QuadraticModel::hessian_column(const GramPoint& point, std::int32_t variable,
                                      const std::vector<std::int32_t>& at, double* result) {
    const ProductModel& products = point.products();
    compute_image(point, variable);
    const auto entry = [&](std::int32_t k) {  // of 2 J^T G J
        double sum = 0.0;
        for (const std::int32_t n : products.users(k)) {
            sum += products.slope(n, k, point.x(), free_.side[position(k)]) * image_[n];
        }
        return sum;
    };
    for (std::size_t i = 0; i < at.size(); ++i) result[i] = entry(at[i]);
    for (const std::int32_t n : products.users(variable)) {
        const auto [first, second] = products.plain_product(n);
        if (second < 0) continue;
        const auto other = std::find(at.begin(), at.end(), first == variable ? second : first);
        if (other != at.end()) result[other - at.begin()] += 2.0 * point.residual()[n];
    }
    return entry(variable) + 2.0 * point.terms().quadratic[variable];
}

}  // namespace rigcast::optimize
