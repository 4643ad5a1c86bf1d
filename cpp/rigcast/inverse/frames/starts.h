#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
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

/// Starts for variables that move vertices only in combinations: at zero their slopes vanish whatever the target, and
/// the linear solution does not contain them. MakeHuman's macro rig has only such variables.
///
/// Method: the first start is the middle of these variables' box, the others are spread evenly over it by Roberts'
/// additive recurrence (2018, "The unreasonable effectiveness of quasirandom sequences"). Other variables keep their
/// values. Rigs without such variables have no such starts.
class Multistart {
public:
    /// A column moves a vertex if its diagonal entry of the Gram matrix `gram` (N, N or more) is not 0.
    Multistart(const optimize::ProductModel& products, View<const double, 2> gram);

    /// Number of starts: 0 or max_starts.
    std::int64_t count() const { return num_starts_; }
    /// (K): the start's variables as fractions of their ranges, between 0 and 1; negative for variables that keep their
    /// values.
    const double* fractions(std::int64_t start) const { return fractions_.data() + start * num_variables_; }
    /// (count, K)
    const std::vector<double>& fractions() const { return fractions_; }

    /// More starts find more minima and cost a solve each; see also agreeing_multistarts. Chosen, not tuned.
    static constexpr std::int64_t max_starts = 16;

private:
    std::int64_t num_variables_;
    std::int64_t num_starts_ = 0;
    std::vector<double> fractions_;
};

}  // namespace rigcast::inverse
