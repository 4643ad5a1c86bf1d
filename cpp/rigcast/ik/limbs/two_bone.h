#pragma once
#include <cstdint>

#include "rigcast/core/view.h"

namespace rigcast::ik {

/// Why a two-bone limb is not the plain solution; bits of its flags, 0 for none.
namespace limb_flag {
inline constexpr std::uint8_t too_far = 1;   // L > d_u + d_l
inline constexpr std::uint8_t too_near = 2;  // L < |d_u - d_l|
inline constexpr std::uint8_t no_hinge = 4;  // the axis is zero or parallel to t - o
inline constexpr std::uint8_t at_base = 8;   // t = o
inline constexpr std::uint8_t unreached = too_far | too_near;
}  // namespace limb_flag

/// The arguments of two_bone for N limbs. A view with one row stands for N equal rows.
struct TwoBoneLimbs {
    View<const double, 2> base;    // o, (N, 3)
    View<const double, 2> target;  // t, (N, 3)
    View<const double, 1> upper;   // d_u, (N,)
    View<const double, 1> lower;   // d_l, (N,)
    View<const double, 2> axis;    // r, (N, 3)
};

/// The results of two_bone.
struct TwoBonePoses {
    View<double, 2> elbow;        // (N, 3)
    View<double, 2> end;          // (N, 3)
    View<std::uint8_t, 1> flags;  // (N,), bits of limb_flag
};

/// Places elbow and end of two-bone limbs in closed form (Bailey 2020, section 4.1). With L = |t - o|:
///
///     n = normalize((t - o) x r),  a = (d_u^2 - d_l^2 + L^2) / (2 L),  h = sqrt(d_u^2 - a^2),
///     elbow = o + a (t - o) / L + h n,  end = t.
///
/// `a` is signed, where the paper takes sqrt(d_u^2 - h^2): the foot of the altitude falls behind the base if
/// d_l^2 > d_u^2 + L^2. The elbow lies on the side of n, perpendicular to the hinge axis r.
///
/// Out of reach: the limb is straight (too far) or folded (too near) along the line to the target, and the end is the
/// point nearest to the target, o + clamp(L, |d_u - d_l|, d_u + d_l) (t - o) / L. Elbow and end are continuous there.
/// No hinge: if r is zero, or its angle with t - o is below 1e-8 radians, the coordinate axis least aligned with t - o
/// takes the place of r. Target at the base: if t = o, the direction is perpendicular to r (x if r is zero).
/// Flags say which of these a limb is. Results are finite for all inputs. Elbow and end are discontinuous only where
/// t - o passes through zero or through a multiple of r.
///
/// Any scale of numbers up to 1e300: lengths hold to rounding, since only ratios are squared.
/// Throws ArgumentError if a shape is wrong, a number is not finite or exceeds 1e300, or a length is negative.
void two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, int threads);

inline constexpr double largest_number = 1e300;      // differences and sums of two do not overflow
inline constexpr double smallest_hinge_sine = 1e-8;  // below, rounding decides the direction of (t - o) x r

/// Solves limbs [begin, end). Returns false if one of their numbers is not allowed; results are then undefined.
bool solve_two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, std::int64_t begin, std::int64_t end);

}  // namespace rigcast::ik
