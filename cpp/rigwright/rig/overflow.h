#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "rigwright/core/error.h"
#include "rigwright/core/view.h"

namespace rigwright::rig {

/// Throws ArgumentError, which names the function and the row of its poses, if a value made from that row is NaN or of
/// a larger magnitude than `limit`: a finite pose may be so large that vertices overflow.
inline void check_overflow(const char* function, std::int64_t row, const float* values, std::int64_t count,
                           float limit = std::numeric_limits<float>::max()) {
    int wrong = 0;  // not a bool that ends the loop, so that the compiler vectorises it
    for (std::int64_t i = 0; i < count; ++i) wrong |= static_cast<int>(!(std::abs(values[i]) <= limit));
    if (wrong == 0) return;
    throw bad_argument(function, "poses", "so large in row " + std::to_string(row) + " that vertices overflow",
                       "smaller there");
}

/// The largest magnitude of transforms with which no sum of a transformed point overflows, for points whose
/// coordinates are at most `largest` and weights that sum to 1. Negative, so that check_overflow refuses all, if the
/// points themselves overflow.
inline float transform_limit(double largest) {
    constexpr double most = 0.25 * std::numeric_limits<float>::max();
    return largest <= most ? static_cast<float>(most / (3.0 * largest + 1.0)) : -1.0f;
}
inline float transform_limit(View<const float, 2> points) {
    double largest = 0.0;
    for (const float x : points) largest = std::max(largest, std::abs(static_cast<double>(x)));
    return transform_limit(largest);
}

}  // namespace rigwright::rig
