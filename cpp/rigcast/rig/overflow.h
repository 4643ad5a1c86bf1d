#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/core/view.h"

namespace rigcast::rig {

/// Returns true if a value is NaN or exceeds `limit` in magnitude.
inline bool overflows(const float* values, std::int64_t count, float limit = std::numeric_limits<float>::max()) {
    int wrong = 0;  // no early exit, so that the compiler vectorizes the loop
    for (std::int64_t i = 0; i < count; ++i) wrong |= static_cast<int>(!(std::abs(values[i]) <= limit));
    return wrong != 0;
}

/// Throws ArgumentError, which names the function and the frame, if one of `count` values computed from the pose of
/// that frame is NaN or exceeds `limit` in magnitude: a finite pose may be so large that vertices overflow.
inline void check_overflow(const char* function, std::int64_t frame, const float* values, std::int64_t count,
                           float limit = std::numeric_limits<float>::max()) {
    if (!overflows(values, count, limit)) return;
    throw bad_argument(function, "poses", "so large in row " + std::to_string(frame) + " that vertices overflow",
                       "smaller there");
}

/// The largest magnitude of transform entries at which no partial sum of a blend of transformed points overflows, if
/// the points' coordinates are at most `largest` and the weights sum to 1. Negative, so that check_overflow refuses
/// every pose, if the points are too large for any transform.
inline float transform_limit(double largest) {
    constexpr double limit = 0.25 * std::numeric_limits<float>::max();
    return largest <= limit ? static_cast<float>(limit / (3.0 * largest + 1.0)) : -1.0f;
}
inline float transform_limit(View<const float, 2> points) {
    double largest = 0.0;
    for (const float x : points) largest = std::max(largest, std::abs(static_cast<double>(x)));
    return transform_limit(largest);
}

}  // namespace rigcast::rig
