#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::optimize {

/// How a minimization over the simplex ended.
struct SimplexReport {
    double value = 0.0;      // |sum_i w_i a_i - b|^2
    double gap = 0.0;        // value - min_i (D w)_i; the value exceeds the optimum by at most twice the gap
    int iterations = 0;      // columns that entered or were tried
    bool converged = false;  // no column improves the value further in double precision
};

/// Least squares over the simplex in Gram space,
///   minimize |sum_i w_i a_i - b|^2 = w^T D w,   w >= 0,   sum w = 1,   D_ij = (a_i - b) . (a_j - b).
/// Method: Wolfe's active set for the nearest point of a polytope ("Finding the nearest point in a polytope", 1976).
/// Columns enter one at a time; the minimizer over those in use, subject to sum w = 1 only, comes from a Cholesky
/// factorization of D + c 1 1^T; columns whose weight would turn negative leave.
/// Requires D to be positive semidefinite up to rounding; its columns may be linearly dependent.
/// Guarantee: exact up to double precision; the value never rises. Not thread-safe: use one per thread.
class SimplexLeastSquares {
public:
    /// Solves over the columns of D in `columns`, not empty, and writes one weight for each, in their order.
    SimplexReport solve(View<const double, 2> gram, const std::vector<int>& columns, double* weights);

private:
    double gram(int i, int j) const {
        return data_[static_cast<std::int64_t>((*columns_)[i]) * stride_ + (*columns_)[j]];
    }
    double gradient(int i) const;
    double value() const;
    int steepest(SimplexReport* report) const;
    bool find_affine_minimizer();
    void retreat();
    bool step(int entering);

    const double* data_ = nullptr;
    std::int64_t stride_ = 0;
    const std::vector<int>* columns_ = nullptr;
    double shift_ = 0.0;          // c
    double rounding_ = 0.0;       // descents up to this are rounding
    std::vector<int> used_;       // indices into columns_ of the columns with a weight
    std::vector<double> weight_;  // of used_
    std::vector<int> old_used_;   // before a step
    std::vector<double> old_weight_;
    std::vector<double> target_;    // the affine minimizer over used_
    std::vector<double> cholesky_;  // lower triangle of the factorization of D + c 1 1^T over used_
    std::vector<char> is_refused_;  // of columns_: entering did not lower the value since the last step
};

}  // namespace rigcast::optimize
