#pragma once
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/optimize/simplex_least_squares.h"

namespace rigwright::baseline {

/// Weights >= 0 with sum 1 over a few columns, and their value w^T D w.
struct Subset {
    std::vector<int> columns;
    std::vector<double> weights;
    double value = 0.0;
};

/// The best weights with at most K columns, for one matrix D (see optimize::SimplexLeastSquares).
class InfluenceSearch {
public:
    explicit InfluenceSearch(View<const double, 2> gram) : gram_(gram) {}

    /// The exact minimizer over all columns, its columns of weight 0 dropped.
    Subset all();
    /// At most `count` columns. Exact where the minimizer over all columns has no more, and for one column.
    /// Otherwise choosing is combinatorial: starts from the best of the largest weights of the full solution,
    /// from dropping its smallest weights one by one, and from adding columns greedily, each refitted; then
    /// exchanges one column for another as long as that lowers the value.
    Subset best(int count);

private:
    Subset fit(std::vector<int> columns);
    Subset largest(const Subset& full, int count);
    Subset drop(Subset subset, int count);
    Subset grow(int count);
    bool exchange(Subset* subset);

    View<const double, 2> gram_;
    optimize::SimplexLeastSquares solver_;
};

}  // namespace rigwright::baseline
