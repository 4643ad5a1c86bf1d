#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::inverse {

/// Starts for variables that zero and the linear part say nothing of: no column that such a variable drives alone moves
/// a vertex, but a combination does, so that at zero its slope may vanish whatever the target (MakeHuman's macro rig
/// has only such variables). The first start is the middle of their box, the others are spread evenly over it by
/// Roberts' additive recurrence. Other variables stay where they are. Rigs without such variables have no such starts.
class Multistart {
public:
    /// The Gram matrix (N, N) says what moves.
    Multistart(const optimize::ProductModel& products, View<const double, 2> gram);

    std::int64_t count() const { return num_starts_; }
    /// (count, K): where in a variable's range a start has it, between 0 and 1; negative for other variables.
    const double* place(std::int64_t start) const { return places_.data() + start * num_variables_; }
    const std::vector<double>& places() const { return places_; }

    /// A frame is not started more often once this many of the starts have ended at the best minimum known.
    static constexpr int enough = 4;
    static constexpr std::int64_t most = 16;

private:
    std::int64_t num_variables_, num_starts_ = 0;
    std::vector<double> places_;
};

}  // namespace rigwright::inverse
