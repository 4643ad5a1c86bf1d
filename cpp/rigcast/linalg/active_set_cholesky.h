#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/core/aligned.h"

namespace rigcast::linalg {

/// Cholesky factorization U^T U of the rows and columns of a Hessian that belong to an active set of variables. A
/// variable enters or leaves the set in O(n^2), without a new factorization (Golub and Van Loan 2013, section 6.5).
class ActiveSetCholesky {
public:
    /// A pivot below this share of its diagonal entry is rounding: the matrix counts as singular.
    static constexpr double smallest_pivot = 1e-13;

    bool empty() const { return variables_.empty(); }
    std::int64_t size() const { return static_cast<std::int64_t>(variables_.size()); }
    /// The active variables, in the order of the rows of U.
    const std::vector<std::int32_t>& variables() const { return variables_; }
    /// Numbers that the vector of `solve` must have room for.
    std::int64_t stride() const { return stride_; }
    void clear() { variables_.clear(); }
    /// The smallest pivot relative to its diagonal entry, ridge included, in the last `set` that succeeded. It is at
    /// most the squared sine of the angle between a column and the span of the columns before it.
    double least_pivot() const { return least_pivot_; }
    /// Factorizes the rows and columns `active` of a symmetric matrix, whose rows are `row_length` numbers apart, with
    /// `ridge` added to the diagonal. `names[i]` is the variable of row i of the matrix. Returns false, and leaves the
    /// set empty, if the result is not positive definite.
    bool set(const std::vector<double>& matrix, std::int64_t row_length, std::span<const std::int32_t> active,
             double ridge, std::span<const std::int32_t> names);
    /// Adds a variable: `column` has the Hessian's entries at the active variables, `diagonal` the variable's own.
    /// `column` needs stride() numbers and is overwritten. Returns false, and changes nothing, if there is no room or
    /// the matrix would not be positive definite.
    bool append(std::int32_t variable, double* column, double diagonal);
    /// Removes variables()[position].
    void remove(std::int64_t position);
    /// x <- (U^T U)^-1 x; x needs stride() numbers.
    void solve(double* x) const;

private:
    void reserve(std::int64_t count);

    std::int64_t stride_ = 0;
    double least_pivot_ = 1.0;
    std::vector<std::int32_t> variables_;
    LineVector<double> upper_;  // (stride, stride)
    std::vector<double> inverse_diagonal_;
};

}  // namespace rigcast::linalg
