#pragma once
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/optimize/simplex_least_squares.h"

namespace rigcast::baseline {

/// Weights w >= 0 of sum 1 over a few columns, and their value w^T D w.
struct Subset {
    std::vector<int> columns;
    std::vector<double> weights;
    double value = 0.0;
};

/// Minimizes w^T D w over weights w >= 0 of sum 1 with few columns, for one matrix D (optimize::SimplexLeastSquares).
class InfluenceSearch {
public:
    explicit InfluenceSearch(View<const double, 2> gram) : gram_(gram) {}

    /// The exact minimizer over all columns, without its columns of weight 0.
    Subset all();
    /// The best subset found with at most `count` columns. Exact for one column, and if the minimizer over all columns
    /// has no more than `count`; otherwise a heuristic.
    /// Method: the best of three starts: the columns with the largest weights in the minimizer over all columns, those
    /// left after dropping its smallest weights one by one, and columns added greedily, each refitted. Then columns are
    /// exchanged one by one while that lowers the value.
    Subset best(int count);
    /// The better of two: the minimizer over `columns`, and what is left of the minimizer over all columns after
    /// dropping its smallest weights one by one until `count` remain. Columns of weight 0 are left out. Cheaper than
    /// `best`, and never worse than weights over `columns`, of which there are at most `count`, not none.
    Subset improved(const std::vector<int>& columns, int count);

private:
    Subset fit(std::vector<int> columns);
    static Subset without_zeros(Subset subset);
    Subset largest(const Subset& full, int count);
    Subset drop(Subset subset, int count);
    Subset grow(int count);
    bool exchange(Subset* subset);

    View<const double, 2> gram_;
    optimize::SimplexLeastSquares solver_;
};

}  // namespace rigcast::baseline
