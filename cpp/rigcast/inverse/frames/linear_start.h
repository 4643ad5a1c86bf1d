#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/linalg/gram_matrix.h"
#include "rigcast/optimize/products/gram_point.h"
#include "rigcast/optimize/products/product_model.h"

namespace rigcast::inverse {

/// Of the mean diagonal entry of the normal equations: keeps the start bounded if shapes are nearly dependent. A larger
/// ridge pulls the start to zero. Chosen, not tuned: it is a start only.
constexpr double linear_start_ridge = 1e-4;

/// The normal equations of a rig's linear part, the columns that are a variable alone, with a ridge. Their solution,
/// clipped to the box, is a start for a frame. Factorized once; const calls may run from several threads at once.
class LinearStart {
public:
    LinearStart(const optimize::ProductModel& products, const linalg::GramMatrix& gram);

    /// Writes the start to x, which gets room for whole vectors after its K variables. Returns false if the
    /// factorization failed: there is no such start then.
    bool solve(const optimize::Terms& terms, std::vector<double>& x) const;

private:
    template <class F>
    void for_linear_columns(F&& visit) const;

    const optimize::ProductModel& products_;
    std::int64_t num_variables_;
    std::int64_t stride_;
    std::vector<double> factor_;  // (K, stride)
    std::vector<double> inverse_diagonal_;
    bool is_factorized_ = false;
};

}  // namespace rigcast::inverse
