#pragma once
#include <span>

#include "rigcast/core/view.h"

namespace rigcast::rig {

/// Writes Euler angles in degrees of rotations: R = R_a(angle_0) R_b(angle_1) ... for column vectors.
///
/// Choice: a rotation has several solutions, by whole turns and by the two branches of Euler angles. The one that
/// exceeds the ranges least is chosen; among equals, the one nearest to the previous frame if `continuous` (for clips),
/// else the one with the smallest angles. In gimbal lock, where only the sum or difference of the outer angles is
/// determined, the first angle stays as in the previous frame, or as near to 0 as its range allows. Fewer than three
/// axes: the angles are exact if the axes can produce the rotation. Otherwise a single axis has the angle of the
/// nearest rotation, and of two axes a third angle between them is dropped.
///
/// rotations: (T, 3, 3), up to uniform scale. axes: one to three of 0, 1, 2; neighbors differ. ranges: (n, 2) lowest
/// and highest angles. angles: (T, n), may exceed the ranges. Throws ArgumentError if the axes or a shape are wrong, a
/// number is not finite, or a lowest angle exceeds the highest.
void fit_angles(View<const double, 3> rotations, std::span<const int> axes, View<const double, 2> ranges,
                bool continuous, View<double, 2> angles);

/// Returns true if fit_angles supports these axes.
bool can_fit_angles(std::span<const int> axes);

/// matrix = matrix * R_axis(degrees), 3x3 row-major.
void turn(double* matrix, int axis, double degrees);

}  // namespace rigcast::rig
