#pragma once
#include <array>
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/linalg/vec3.h"

namespace rigcast::capture {

/// An eye of the rig at rest, in axes with x to a side, y up and z forward.
struct Eye {
    linalg::Vec3 center;
    linalg::Vec3 pupil;  // on the eye's sphere
};

/// Rotation of an eye: about x by `x`, then about y by `y`, radians.
struct EyeTurn {
    double x = 0.0, y = 0.0;
    bool missed = false;       // the ray does not meet the eye: turned to the point of the eye nearest to it
    bool unreachable = false;  // no rotation about x, then y ends there: turned to the nearest height that has one
};

/// Turns the pupil p of an eye with center e to where a ray meets its sphere (Bailey 2020, section 6.5). With d = p -
/// e, r = |d|, t the nearer hit and s = t - e:
///   a = (d_x, s_y, sign(d_z) sqrt(r^2 - d_x^2 - s_y^2))      the pupil after the rotation about x
///   x = atan2(a_z, a_y) - atan2(d_z, d_y),   y = atan2(s_x, s_z) - atan2(a_x, a_z).
/// If the ray misses the sphere, s points to the point of the ray that is nearest to e. If r^2 < d_x^2 + s_y^2, s_y is
/// limited to +-sqrt(r^2 - d_x^2).
EyeTurn turn_eye(const Eye& eye, const linalg::Vec3& origin, const linalg::Vec3& direction);

/// What became of an eye in a frame; bits.
enum EyeStatus : std::uint8_t { eye_missed = 1, eye_unreachable = 2, eye_copied = 4, eye_unseen = 8 };

/// Both eyes of T frames. origins (T, 3), directions (T, 2, 3); NaN: the pupil was not seen. Writes angles (T, 2, 2),
/// about x and y, and EyeStatus (T, 2).
/// An eye that fails (unseen, missed, unreachable) takes the other one's rotation if that does not. If both succeed and
/// differ by more than `disagreement` radians, both take the rotation that is nearer to its own of the frame before. If
/// neither pupil is seen, both keep their last rotation.
/// Throws ArgumentError if a shape is wrong, or a pupil lies at its center.
void turn_eyes(const std::array<Eye, 2>& eyes, View<const double, 2> origins, View<const double, 3> directions,
               double disagreement, View<double, 3> angles, View<std::uint8_t, 2> status);

}  // namespace rigcast::capture
