#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::optimize {

/// How a minimization over the simplex ended.
struct SimplexReport {
    double value = 0.0;      // |sum_i w_i a_i - b|^2
    double gap = 0.0;        // value - min_i (D w)_i; the value exceeds the optimum by at most twice the gap
    int iterations = 0;      // columns tried
    bool converged = false;  // no column improves the value any more, in double precision
};

/// Least squares over the simplex in Gram space,
///   minimize |sum_i w_i a_i - b|^2 = w^T D w,   w >= 0,   sum w = 1,   D_ij = (a_i - b) . (a_j - b),
/// solved exactly by Wolfe's active-set method for the nearest point of a polytope ("Finding the nearest point
/// in a polytope", 1976): columns enter one at a time; over those in use the minimizer with sum 1 alone is found
/// by a Cholesky factorization of D + c 1 1^T; columns whose weight would turn negative leave. D must be positive
/// semidefinite up to rounding; its columns may depend on each other. Double precision. An object
/// holds the working memory: one a thread.
class SimplexLeastSquares {
public:
    /// Solves over chosen columns of D. Writes one weight each, in their order; `columns` must not be empty.
    SimplexReport solve(View<const double, 2> gram, const std::vector<int>& columns, double* weights);

private:
    double gram(int i, int j) const {
        return data_[static_cast<std::int64_t>((*columns_)[i]) * stride_ + (*columns_)[j]];
    }
    double gradient(int i) const;
    double value() const;
    int steepest(SimplexReport* report) const;
    bool affine_minimizer();
    void retreat();
    bool step(int entering);

    const double* data_ = nullptr;
    std::int64_t stride_ = 0;
    const std::vector<int>* columns_ = nullptr;
    double shift_ = 0.0;          // c
    double rounding_ = 0.0;       // a descent this small is none
    std::vector<int> used_;       // positions in columns_ with a weight
    std::vector<double> weight_;  // of used_
    std::vector<int> old_used_;   // both before a step
    std::vector<double> old_weight_;
    std::vector<double> target_;  // the affine minimizer over used_
    std::vector<double> factor_;  // its Cholesky factor
    std::vector<char> banned_;    // positions that brought nothing since the last step
};

}  // namespace rigwright::optimize
