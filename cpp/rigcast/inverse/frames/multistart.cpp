#include "rigcast/inverse/frames/multistart.h"

#include <algorithm>
#include <cmath>

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
