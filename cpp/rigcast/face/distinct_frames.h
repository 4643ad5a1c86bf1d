#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::face {

/// The frames of offsets (T, V, 3) that differ most: each is the one that is farthest from the span of those before it
/// (pivoted Gram-Schmidt), the first one the largest. Stops when what is left of every frame is below 1 % of the
/// largest. Returns at most `count` frames, in this order.
/// Guarantee: the same frames with every instruction set and number of threads.
/// Throws ArgumentError if `count` is below 1 or offsets are not finite.
std::vector<std::int64_t> distinct_frames(View<const float, 3> offsets, std::int64_t count, int threads);

}  // namespace rigcast::face
