#pragma once
#include <array>
#include <string>

#include "rigcast/rig/rotations/affine.h"

namespace rigcast::rig {

/// Axes 0, 1, 2 in the order in which rotations about them are applied: XYZ turns about x first, R = R_z R_y R_x.
using EulerOrder = std::array<int, 3>;

/// The order of its name, "XYZ" to "ZYX". Throws ArgumentError, which names `place`.
EulerOrder euler_order(const std::string& name, const std::string& place);

/// The rotation about axis 0, 1 or 2.
Matrix3 axis_rotation(int axis, double radians);
/// The rotation about an axis of length 1.
Matrix3 rotation_about(const Vec3& axis, double radians);
/// The shortest rotation that turns the direction of `from` into that of `to`, neither of length 0.
Matrix3 rotation_between(const Vec3& from, const Vec3& to);
/// Angles (radians) about x, y and z, applied in `order`.
Matrix3 euler_rotation(const Vec3& angles, const EulerOrder& order);
/// The angles of a rotation: of its two solutions the one with the smaller sum of magnitudes.
Vec3 euler_angles(const Matrix3& rotation, const EulerOrder& order);
/// The same, of the solutions and whole turns the nearest to `old`.
Vec3 euler_angles_near(const Matrix3& rotation, const Vec3& old, const EulerOrder& order);

/// A matrix without shear that keeps the direction of y, the volume, and treats x and z alike. `unit`: columns have
/// length 1; otherwise lengths are kept but for the shear.
Matrix3 without_shear(const Matrix3& a, bool unit);
/// The rotation nearest to a matrix by its normalized columns, and its scales; both are negated if it mirrors.
struct RotationScales {
    Matrix3 rotation;
    Vec3 scales;
};
RotationScales rotation_and_scales(const Matrix3& a);

/// From a (share 0) to b (share 1): rotations of the polar decompositions along the shortest arc, stretches and
/// locations linearly.
Affine interpolate(const Affine& a, const Affine& b, double share);

}  // namespace rigcast::rig
