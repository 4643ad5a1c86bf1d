#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/optimize/products/gram_point.h"

namespace rigwright::optimize {

/// The variables of a frame that a step may move, ascending, and to which side of its value each may go (1, -1).
struct FreeVariables {
    std::vector<std::int32_t> variables;
    std::vector<std::int32_t> position;  // of each of the frame's variables in `variables`, or -1
    std::vector<int> side;

    std::int64_t size() const { return static_cast<std::int64_t>(variables.size()); }
};

/// The Hessian of one frame's objective over its free variables,
///   H = 2 J^T G J + 2 sum_n r_n d^2 phi_n,   J = d phi / d x,
/// in double precision, or in single, where rows of the Gram matrix take half the bandwidth: it no longer fits the
/// nearest caches otherwise.
template <class Real>
class Hessian {
public:
    /// At a frame's point; with `curvature` its second part, too.
    void form(const GramPoint& frame, const FreeVariables& free, bool curvature);

    /// Numbers between rows.
    std::int64_t stride() const { return stride_; }
    /// Row-major, symmetric, both triangles.
    const std::vector<Real>& entries() const { return entries_; }

private:
    struct Entry {
        std::int32_t position, column;
        Real twice;  // the slope
    };

    void differentiate(const GramPoint& frame, const FreeVariables& free);
    void add_curvature(const GramPoint& frame, const FreeVariables& free);

    std::int64_t stride_ = 0;
    std::vector<Real> entries_;
    LineVector<Real> image_;
    std::vector<std::int32_t> slope_column_;  // J by free variables: those of variable i from slope_begin_[i] on
    std::vector<Real> slopes_;
    std::vector<const Real*> slope_row_;  // of the Gram matrix
    std::vector<std::int64_t> slope_begin_, rank_begin_, cursor_;
    std::vector<Entry> ranked_;
};

extern template class Hessian<float>;
extern template class Hessian<double>;

}  // namespace rigwright::optimize
