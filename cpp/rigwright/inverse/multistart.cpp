#include "rigwright/inverse/multistart.h"

#include <algorithm>
#include <cmath>

namespace rigwright::inverse {
namespace {

/// Whether a variable moves something in combinations, but nothing alone.
bool is_blind(const optimize::ProductModel& products, View<const double, 2> gram, std::int64_t variable) {
    bool together = false;
    for (const std::int32_t n : products.users(variable)) {
        if (gram(n, n) == 0.0) continue;
        if (products.drivers(n).size() == 1) return false;
        together = true;
    }
    return together;
}

/// The root of x^(dimensions + 1) = x + 1 above 1, by a contraction.
double generalised_golden_ratio(std::size_t dimensions) {
    double x = 2.0;
    for (int i = 0; i < 100; ++i) x = std::pow(1.0 + x, 1.0 / static_cast<double>(dimensions + 1));
    return x;
}

}  // namespace

Multistart::Multistart(const optimize::ProductModel& products, View<const double, 2> gram)
    : num_variables_(products.num_variables()) {
    std::vector<std::int64_t> blind;
    for (std::int64_t k = 0; k < num_variables_; ++k) {
        if (is_blind(products, gram, k)) blind.push_back(k);
    }
    if (blind.empty()) return;
    num_starts_ = most;
    places_.assign(num_starts_ * num_variables_, -1.0);
    const double ratio = generalised_golden_ratio(blind.size());
    for (std::int64_t start = 0; start < num_starts_; ++start) {
        for (std::size_t i = 0; i < blind.size(); ++i) {
            const double along = 0.5 + static_cast<double>(start) * std::pow(ratio, -static_cast<double>(i + 1));
            places_[start * num_variables_ + blind[i]] = along - std::floor(along);
        }
    }
}

}  // namespace rigwright::inverse
