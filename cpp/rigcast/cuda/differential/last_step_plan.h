#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/cuda/products/product_plan.h"

namespace rigcast::differential {
class Tail;
}

namespace rigcast::cuda {

/// The last step of a differential subspace as one product (differential::Folded): p = B z + M a + m, where m includes
/// the rest vertices. A factorized last step is folded, too: the fold multiplies, a triangular solve waits for itself.
/// `first_coefficient` is the column of a row at which z (R) and a (A, 3) begin.
struct LastStepPlan {
    LastStepPlan(const differential::Tail& tail, std::int64_t first_coefficient);

    /// Columns of the row that make [z, a^x, z, a^y, z, a^z]: the inputs of the product.
    std::vector<std::int32_t> combined;
    /// One product per axis: V outputs [B | M] [z, a] + m; rows of x, then of y, then of z.
    ProductPlan points{network::Activation::none};
};

}  // namespace rigcast::cuda
