#pragma once
#include "rigcast/linalg/vec3.h"

namespace rigcast::rig {

using linalg::Vec3;

/// A rotation as a vector w: its direction is the axis, its length the angle in radians. Matrices are (3, 3),
/// row-major. Formulas: Sola et al. 2018, "A micro Lie theory for state estimation in robotics", appendix B.

/// Writes exp([w]x), the rotation matrix of w (Rodrigues' formula).
void rotation_of(const Vec3& w, double* rotation);
/// Writes the left Jacobian J(w) of SO(3): exp([w + dw]x) = exp([J dw]x) exp([w]x) to first order.
void left_jacobian(const Vec3& w, double* jacobian);
/// The rotation vector of a rotation matrix, of length at most pi.
Vec3 rotation_vector(const double* rotation);
/// Writes the inverse of the right Jacobian: if dR = R [v]x, the rotation vector of R changes by K v.
void inverse_right_jacobian(const Vec3& w, double* jacobian);

}  // namespace rigcast::rig
