#include "rigwright/optimize/products/product_model.h"

namespace rigwright::optimize {

ProductModel::Plain ProductModel::plain_product(const std::vector<Driver>& drivers) {
    const bool tents = std::any_of(drivers.begin(), drivers.end(), [](const Driver& f) { return f.is_tent; });
    if (tents || drivers.empty() || drivers.size() > 2) return {-1, -1};
    if (drivers.size() == 1) return {drivers[0].variable, -1};
    const bool twice = drivers[0].variable == drivers[1].variable;
    return twice ? Plain{-1, -1} : Plain{drivers[0].variable, drivers[1].variable};
}

ProductModel::ProductModel(std::int64_t num_variables, std::vector<std::vector<Driver>> columns)
    : degree_(num_variables, 0) {
    std::vector<std::vector<std::int32_t>> users(num_variables);
    std::vector<std::vector<double>> knots(num_variables);
    for (std::size_t n = 0; n < columns.size(); ++n) {
        is_linear_ = is_linear_ && columns[n].size() == 1 && !columns[n][0].is_tent;
        for (const Driver& f : columns[n]) {
            drivers_.push_back(f);
            if (users[f.variable].empty() || users[f.variable].back() != static_cast<std::int32_t>(n)) {
                users[f.variable].push_back(static_cast<std::int32_t>(n));
            }
            if (f.is_tent) knots[f.variable].insert(knots[f.variable].end(), {f.tent.x1, f.tent.x2, f.tent.x3});
            const auto same = [&](const Driver& g) { return g.variable == f.variable; };
            const auto power = std::count_if(columns[n].begin(), columns[n].end(), same);
            degree_[f.variable] = std::max(degree_[f.variable], static_cast<int>(power));
        }
        begin_.push_back(static_cast<std::int64_t>(drivers_.size()));
        plain_.push_back(plain_product(columns[n]));
    }
    for (std::int64_t j = 0; j < num_variables; ++j) {
        std::sort(knots[j].begin(), knots[j].end());
        knots[j].erase(std::unique(knots[j].begin(), knots[j].end()), knots[j].end());
        users_.insert(users_.end(), users[j].begin(), users[j].end());
        knots_.insert(knots_.end(), knots[j].begin(), knots[j].end());
        users_begin_.push_back(static_cast<std::int64_t>(users_.size()));
        knots_begin_.push_back(static_cast<std::int64_t>(knots_.size()));
    }
}

double ProductModel::product(std::int64_t column, const double* x) const {
    double product = 1.0;
    for (const Driver& f : drivers(column)) product *= f.value(x[f.variable]);
    return product;
}

double ProductModel::product_slope(std::int64_t column, std::int64_t variable, const double* x, int side) const {
    const std::span<const Driver> own = drivers(column);
    double sum = 0.0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i].variable != variable) continue;
        double product = own[i].slope(x[variable], side);
        for (std::size_t k = 0; k < own.size(); ++k) {
            if (k != i) product *= own[k].value(x[own[k].variable]);
        }
        sum += product;
    }
    return sum;
}

void ProductModel::pull_back(const double* x, const double* y, double* result) const {
    std::fill_n(result, num_variables(), 0.0);
    for (std::int64_t n = 0; n < num_columns(); ++n) {
        const auto [first, second] = plain_[n];
        if (second >= 0) {
            result[first] += x[second] * y[n];
            result[second] += x[first] * y[n];
        } else if (first >= 0) {
            result[first] += y[n];
        } else {
            const std::span<const Driver> own = drivers(n);
            for (std::size_t i = 0; i < own.size(); ++i) {
                double product = own[i].slope(x[own[i].variable], 1);
                for (std::size_t k = 0; k < own.size(); ++k) {
                    if (k != i) product *= own[k].value(x[own[k].variable]);
                }
                result[own[i].variable] += product * y[n];
            }
        }
    }
}

}  // namespace rigwright::optimize
