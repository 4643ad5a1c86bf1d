#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/linalg/gram_matrix.h"

namespace rigwright::linalg {

/// Cholesky factor U^T U of a Hessian over a working set of variables, which changes by a few of them at a time:
/// leaving or entering it costs a solve, not a factorization.
class ActiveSetCholesky {
public:
    /// A pivot below this share of its diagonal entry is rounding: the matrix counts as singular.
    static constexpr double smallest_pivot = 1e-13;

    bool empty() const { return variables_.empty(); }
    std::int64_t size() const { return static_cast<std::int64_t>(variables_.size()); }
    /// In the order of the factor's rows.
    const std::vector<std::int32_t>& variables() const { return variables_; }
    /// Room that `solve` needs.
    std::int64_t stride() const { return stride_; }
    void clear() { variables_.clear(); }
    /// Of the last `set` that succeeded: the least pivot, relative to its diagonal entry with what was added. It is at
    /// most the squared sine of a column's angle to the columns before it.
    double least_pivot() const { return least_pivot_; }
    /// Factors the rows and columns `active` of a symmetric matrix with `added` on its diagonal; their variables are
    /// named by `names`. Returns false, and is empty, if that is not positive definite.
    bool set(const std::vector<double>& matrix, std::int64_t row_length, std::span<const std::int32_t> active,
             double added, std::span<const std::int32_t> names);
    /// Enters a variable with its column of the Hessian (size() and room), which is overwritten. False, and unchanged,
    /// where the matrix would not be positive definite.
    bool append(std::int32_t variable, double* column, double diagonal);
    void remove(std::int64_t position);
    /// x <- (U^T U)^-1 x
    void solve(double* x) const;

private:
    void make_room(std::int64_t count);

    std::int64_t stride_ = 0;
    double least_pivot_ = 1.0;
    std::vector<std::int32_t> variables_;
    LineVector<double> factor_;
    std::vector<double> inverse_diagonal_;
};

}  // namespace rigwright::linalg
