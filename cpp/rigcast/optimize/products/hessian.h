#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/products/free_variables.h"
#include "rigcast/optimize/products/gram_point.h"

namespace rigcast::optimize {

/// The Hessian of one frame's objective over its free variables,
///   H = 2 J^T G J + 2 sum_n r_n d^2 phi_n + 2 diag(quadratic),   J = d phi / d x,
/// with the one-sided derivatives of FreeVariables::side. Without the second term, the curvature of the products, it is
/// the Gauss-Newton matrix, which is positive semidefinite. Real is double for single frames and float for whole shots,
/// where rows of the Gram matrix then take half the memory bandwidth. Not thread-safe: use one per thread.
template <class Real>
class Hessian {
public:
    /// Computes H at a point, with or without the curvature.
    void assemble(const GramPoint& point, const FreeVariables& free, bool curvature);

    /// Length of a row of `entries`: padded.
    std::int64_t stride() const { return stride_; }
    /// (n, stride) for n free variables, row-major, both triangles.
    const std::vector<Real>& entries() const { return entries_; }

private:
    struct RankedSlope {
        std::int32_t position;  // of the free variable
        std::int32_t column;
        Real twice;  // 2 d phi_column / d x_variable
    };

    void compute_slopes(const GramPoint& point, const FreeVariables& free);
    void rank_slopes(std::int64_t num_free);
    void add_curvature(const GramPoint& point, const FreeVariables& free);
    void add_product_curvature(const GramPoint& point, const FreeVariables& free, std::int64_t column);
    void add_pair(std::int32_t i, std::int32_t j, double entry);

    std::int64_t stride_ = 0;
    std::vector<Real> entries_;
    LineVector<Real> image_;  // G J_i for one free variable i
    // the entries of J that are not 0, by free variables
    std::vector<std::int64_t> slopes_begin_;  // (n + 1)
    std::vector<std::int32_t> slope_columns_;
    std::vector<Real> slopes_;
    std::vector<const Real*> slope_rows_;  // rows of the Gram matrix
    // the same entries by rank
    std::vector<std::int64_t> ranks_begin_;
    std::vector<RankedSlope> ranked_slopes_;
    std::vector<std::int64_t> cursor_;  // of each rank: its first entry on or above the diagonal
};

extern template class Hessian<float>;
extern template class Hessian<double>;

}  // namespace rigcast::optimize
