#include "rigcast/optimize/products/product_model.h"

#include <algorithm>
#include <iterator>

namespace rigcast::optimize {
namespace {

/// Joins lists into one and writes where each begins, and the end.
template <class T>
std::vector<T> concatenate(const std::vector<std::vector<T>>& lists, std::vector<std::int64_t>& begin) {
    std::vector<T> all;
    begin.assign(1, 0);
    for (const std::vector<T>& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
        begin.push_back(std::ssize(all));
    }
    return all;
}

}  // namespace

ProductModel::PlainProduct ProductModel::find_plain_product(const std::vector<Driver>& drivers) {
    const bool has_tent = std::any_of(drivers.begin(), drivers.end(), [](const Driver& d) { return d.is_tent; });
    if (has_tent || drivers.empty() || drivers.size() > 2) return {-1, -1};
    if (drivers.size() == 1) return {drivers[0].variable, -1};
    const bool is_square = drivers[0].variable == drivers[1].variable;
    return is_square ? PlainProduct{-1, -1} : PlainProduct{drivers[0].variable, drivers[1].variable};
}

ProductModel::ProductModel(std::int64_t num_variables, std::vector<std::vector<Driver>> columns)
    : degree_(num_variables, 0) {
    std::vector<std::vector<std::int32_t>> users(num_variables);
    std::vector<std::vector<double>> knots(num_variables);
    for (std::size_t n = 0; n < columns.size(); ++n) {
        is_linear_ = is_linear_ && columns[n].size() == 1 && !columns[n][0].is_tent;
        plain_products_.push_back(find_plain_product(columns[n]));
        for (const Driver& d : columns[n]) {
            std::vector<std::int32_t>& driven = users[d.variable];
            if (driven.empty() || driven.back() != static_cast<std::int32_t>(n)) {
                driven.push_back(static_cast<std::int32_t>(n));
            }
            if (d.is_tent) knots[d.variable].insert(knots[d.variable].end(), {d.tent.x1, d.tent.x2, d.tent.x3});
            const auto has_variable = [&](const Driver& other) { return other.variable == d.variable; };
            const auto power = std::count_if(columns[n].begin(), columns[n].end(), has_variable);
            degree_[d.variable] = std::max(degree_[d.variable], static_cast<int>(power));
        }
    }
    for (std::vector<double>& list : knots) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    drivers_ = concatenate(columns, drivers_begin_);
    users_ = concatenate(users, users_begin_);
    knots_ = concatenate(knots, knots_begin_);
}

double ProductModel::product(std::int64_t column, const double* x) const {
    double product = 1.0;
    for (const Driver& d : drivers(column)) product *= d.value(x[d.variable]);
    return product;
}

/// Product rule, over the drivers of the column that hold the variable.
double ProductModel::product_slope(std::int64_t column, std::int64_t variable, const double* x, int side) const {
    const std::span<const Driver> list = drivers(column);
    double sum = 0.0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].variable != variable) continue;
        double product = list[i].slope(x[variable], side);
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (k != i) product *= list[k].value(x[list[k].variable]);
        }
        sum += product;
    }
    return sum;
}

void ProductModel::pull_back(const double* x, const double* y, double* result) const {
    std::fill_n(result, num_variables(), 0.0);
    for (std::int64_t n = 0; n < num_columns(); ++n) {
        const auto [first, second] = plain_products_[n];
        if (second >= 0) {
            result[first] += x[second] * y[n];
            result[second] += x[first] * y[n];
        } else if (first >= 0) {
            result[first] += y[n];
        } else {
            const std::span<const Driver> list = drivers(n);
            for (std::size_t i = 0; i < list.size(); ++i) {
                double product = list[i].slope(x[list[i].variable], 1);
                for (std::size_t k = 0; k < list.size(); ++k) {
                    if (k != i) product *= list[k].value(x[list[k].variable]);
                }
                result[list[i].variable] += product * y[n];
            }
        }
    }
}

}  // namespace rigcast::optimize
