#pragma once
#include <span>

#include "rigwright/core/view.h"

namespace rigwright::rig {

/// Euler angles, in degrees, of rotations R = R_a(angle_0) R_b(angle_1) ... (column vectors, leftmost factor first).
///
/// Of the solutions of a rotation and their whole turns, the one is chosen that leaves the ranges least; where several
/// do, the one nearest to the row before (`continuous`, for clips), else the smallest. If the outer two of three axes
/// coincide (gimbal lock), the first angle stays at the row before, or as near to 0 as its range allows. With two axes,
/// a third goes between them and is dropped; with one, the angle of the nearest rotation is taken: exact where the axes
/// can make the rotation.
///
/// rotations: (T, 3, 3); uniform scale does not matter. axes: one to three of 0, 1, 2, neighbors different (and two
/// axes differ). ranges: (n, 2) lowest and highest angle. angles: (T, n) out; may lie outside the ranges.
/// Throws ArgumentError on other axes or shapes, numbers that are not finite, and a lowest angle above the highest.
void fit_angles(View<const double, 3> rotations, std::span<const int> axes, View<const double, 2> ranges,
                bool continuous, View<double, 2> angles);

/// Whether fit_angles takes these axes.
bool can_fit_angles(std::span<const int> axes);

/// matrix = matrix R_axis(degrees), both 3x3, row-major.
void turn(double* matrix, int axis, double degrees);

}  // namespace rigwright::rig
