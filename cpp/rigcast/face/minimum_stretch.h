#pragma once
#include <vector>

#include "rigcast/face/disk.h"

namespace rigcast::face {

/// Texture coordinates (D, 2) of a disk in the unit square that stretch it little.
///
/// Method: the border follows the border of the square by length; each inner vertex is a convex combination of its
/// neighbors, with mean value weights at first (Floater 2003, equation 2.1), so that no triangle folds (but at the
/// corners of the square, where all vertices of a triangle may lie on one line). Then weights are divided by the
/// stretch of the neighbor, again and again, as long as the stretch of the whole falls (Yoshizawa, Belyaev and Seidel
/// 2004, section 3). Stretch is that of Sander et al. (2001), L2.
/// Guarantee: the same bytes with every instruction set.
///
/// Returns nothing if the disk has no single border, or the coordinates are not finite.
std::vector<double> minimum_stretch(const Disk& disk);

/// The L2 stretch of a disk at coordinates (D, 2): root of the mean of (a + c) / 2 over its area, with the squared
/// lengths a and c of the derivatives of the surface along u and v, times the root of its area in the texture over that
/// in space: 1 if it keeps lengths, and above 1 else. Triangles with all vertices on the border are left out.
double stretch(const Disk& disk, const std::vector<double>& uvs);

}  // namespace rigcast::face
