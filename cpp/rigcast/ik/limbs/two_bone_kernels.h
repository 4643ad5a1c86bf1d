#pragma once
#include <cstdint>

#include "rigcast/ik/limbs/two_bone.h"

namespace rigcast::ik {

inline constexpr double largest_number = 1e300;      // differences and sums of two do not overflow
inline constexpr double smallest_hinge_sine = 1e-8;  // below, rounding decides the direction of (t - o) x r

/// Solves limbs [begin, end). Returns false if one of their numbers is not allowed; results are then undefined.
bool solve_two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, std::int64_t begin, std::int64_t end);

}  // namespace rigcast::ik
