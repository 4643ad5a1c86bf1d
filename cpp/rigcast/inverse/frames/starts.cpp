#include <algorithm>
#include <cmath>

#include "rigcast/inverse/frames/solve_frames.h"
#include "rigcast/linalg/dense_cholesky.h"

namespace rigcast::inverse {
namespace {

/// Returns true if a variable moves vertices, but only in combinations.
bool moves_only_in_combinations(const optimize::ProductModel& products, View<const double, 2> gram,
                                std::int64_t variable) {
    bool in_combination = false;
    for (const std::int32_t n : products.users(variable)) {
        if (gram(n, n) == 0.0) continue;
        if (products.drivers(n).size() == 1) return false;
        in_combination = true;
    }
    return in_combination;
}

/// The root of x^(dimensions + 1) = x + 1 above 1, by fixed-point iteration: the ratio of the recurrence.
double generalized_golden_ratio(std::size_t dimensions) {
    double x = 2.0;
    for (int i = 0; i < 100; ++i) x = std::pow(1.0 + x, 1.0 / static_cast<double>(dimensions + 1));
    return x;
}

}  // namespace

/// Calls visit(column, variable) for each column that is a variable alone.
template <class F>
void LinearStart::for_linear_columns(F&& visit) const {
    for (std::int64_t n = 0; n < products_.num_columns(); ++n) {
        const auto drivers = products_.drivers(n);
        if (drivers.size() == 1 && !drivers[0].is_tent) visit(n, drivers[0].variable);
    }
}

LinearStart::LinearStart(const optimize::ProductModel& products, const linalg::GramMatrix& gram)
    : products_(products),
      num_variables_(products.num_variables()),
      stride_(linalg::padded_width(num_variables_)),
      factor_(num_variables_ * stride_, 0.0),
      inverse_diagonal_(num_variables_) {
    double trace = 0.0;
    for_linear_columns([&](std::int64_t n, std::int32_t i) {
        for_linear_columns([&](std::int64_t m, std::int32_t j) { factor_[i * stride_ + j] += gram(n, m); });
        trace += gram(n, n);
    });
    const double ridge = linear_start_ridge * trace / static_cast<double>(std::max<std::int64_t>(num_variables_, 1));
    for (std::int64_t k = 0; k < num_variables_; ++k) factor_[k * stride_ + k] += ridge > 0.0 ? ridge : 1.0;
    is_factorized_ =
        linalg::dense_cholesky().factorize(factor_.data(), num_variables_, stride_, 0.0, inverse_diagonal_.data());
}

bool LinearStart::solve(const optimize::Terms& terms, std::vector<double>& x) const {
    x.assign(stride_, 0.0);
    for_linear_columns([&](std::int64_t n, std::int32_t k) { x[k] += terms.projection[n]; });
    for (std::int64_t k = 0; k < num_variables_; ++k) x[k] -= 0.5 * terms.linear[k];
    if (is_factorized_) {
        linalg::dense_cholesky().solve(factor_.data(), num_variables_, stride_, inverse_diagonal_.data(), x.data());
    }
    for (std::int64_t k = 0; k < num_variables_; ++k) x[k] = std::clamp(x[k], terms.lower[k], terms.upper[k]);
    return is_factorized_;
}

Multistart::Multistart(const optimize::ProductModel& products, View<const double, 2> gram)
    : num_variables_(products.num_variables()) {
    std::vector<std::int64_t> hidden;
    for (std::int64_t k = 0; k < num_variables_; ++k) {
        if (moves_only_in_combinations(products, gram, k)) hidden.push_back(k);
    }
    if (hidden.empty()) return;
    num_starts_ = max_starts;
    fractions_.assign(num_starts_ * num_variables_, -1.0);
    const double ratio = generalized_golden_ratio(hidden.size());
    for (std::int64_t start = 0; start < num_starts_; ++start) {
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            const double place = 0.5 + static_cast<double>(start) * std::pow(ratio, -static_cast<double>(i + 1));
            fractions_[start * num_variables_ + hidden[i]] = place - std::floor(place);
        }
    }
}

}  // namespace rigcast::inverse
