#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/optimize/products/product_model.h"

namespace rigcast::inverse {

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
