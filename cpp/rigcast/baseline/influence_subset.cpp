#include "rigcast/baseline/influence_subset.h"

#include <algorithm>
#include <numeric>

namespace rigcast::baseline {

Subset InfluenceSearch::fit(std::vector<int> columns) {
    std::vector<double> weights(columns.size());
    const double value = solver_.solve(gram_, columns, weights.data()).value;
    return {std::move(columns), std::move(weights), value};
}

Subset InfluenceSearch::without_zeros(Subset subset) {
    Subset used;
    used.value = subset.value;
    for (std::size_t i = 0; i < subset.columns.size(); ++i) {
        if (subset.weights[i] <= 0.0) continue;
        used.columns.push_back(subset.columns[i]);
        used.weights.push_back(subset.weights[i]);
    }
    return used;
}

Subset InfluenceSearch::all() {
    std::vector<int> columns(gram_.extent(0));
    std::iota(columns.begin(), columns.end(), 0);
    return without_zeros(fit(std::move(columns)));
}

Subset InfluenceSearch::improved(const std::vector<int>& columns, int count) {
    Subset kept = fit(columns);
    Subset found = drop(all(), count);
    return without_zeros(found.value < kept.value ? std::move(found) : std::move(kept));
}

Subset InfluenceSearch::largest(const Subset& full, int count) {
    std::vector<int> order(full.columns.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return full.weights[a] > full.weights[b]; });
    std::vector<int> columns(count);
    std::transform(order.begin(), order.begin() + count, columns.begin(), [&](int i) { return full.columns[i]; });
    return fit(std::move(columns));
}

Subset InfluenceSearch::drop(Subset subset, int count) {
    while (static_cast<int>(subset.columns.size()) > count) {
        const auto smallest = std::min_element(subset.weights.begin(), subset.weights.end()) - subset.weights.begin();
        subset.columns.erase(subset.columns.begin() + smallest);
        subset = fit(std::move(subset.columns));
    }
    return subset;
}

Subset InfluenceSearch::grow(int count) {
    Subset best;
    while (static_cast<int>(best.columns.size()) < count) {
        const std::vector<int> base = best.columns;
        for (int column = 0; column < gram_.extent(0); ++column) {
            if (std::find(base.begin(), base.end(), column) != base.end()) continue;
            std::vector<int> columns = base;
            columns.push_back(column);
            Subset candidate = fit(std::move(columns));
            if (best.columns.size() == base.size() || candidate.value < best.value) best = std::move(candidate);
        }
    }
    return best;
}

/// Makes the exchange of one column that lowers the value most. Returns true if it gains more than rounding.
bool InfluenceSearch::exchange(Subset* subset) {
    const Subset start = *subset;
    for (std::size_t i = 0; i < start.columns.size(); ++i) {
        for (int column = 0; column < gram_.extent(0); ++column) {
            if (std::find(start.columns.begin(), start.columns.end(), column) != start.columns.end()) continue;
            std::vector<int> columns = start.columns;
            columns[i] = column;
            Subset candidate = fit(std::move(columns));
            if (candidate.value < subset->value) *subset = std::move(candidate);
        }
    }
    constexpr double rounding = 1e-9;  // relative: exchanges that only round differently would not end
    return subset->value < start.value * (1.0 - rounding);
}

Subset InfluenceSearch::best(int count) {
    Subset full = all();
    if (static_cast<int>(full.columns.size()) <= count) return full;
    if (count == 1) return grow(1);
    Subset best = largest(full, count);
    for (Subset other : {drop(full, count), grow(count)}) {
        if (other.value < best.value) best = std::move(other);
    }
    while (exchange(&best)) continue;
    return best;
}

}  // namespace rigcast::baseline
