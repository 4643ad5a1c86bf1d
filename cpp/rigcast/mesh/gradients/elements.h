#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/mesh/triangles.h"

namespace rigcast::mesh {

/// One triangle of the energy that a deformation transfer minimizes (Sumner and Popovic 2004, equation 8), with the
/// fourth vertices eliminated.
///
/// The source's deformation gradient S = V~ V^-1, with V = [p1 - p0, p2 - p0, normal_column], is prescribed for the
/// target's triangle. The fourth vertex of a target triangle is free and occurs in that triangle only, so it always
/// matches S on the normal; only the effect of S on the sides remains. Weighted by area, the energy is
///   area |(grad x - S) P|^2 = sum over sides (i, j) of cot / 2 |(x_i - x_j) - S e_ij|^2,
/// where P projects on the triangle's plane, e are the target's sides, and cot is the cotangent of the angle opposite
/// the side (Botsch et al. 2006). The unknowns shrink from V + F to V, the minimizer is the same, and the matrix is the
/// cotangent Laplacian, positive semidefinite for any angles.
struct Element {
    Corners vertex;
    linalg::Vec3 normal;           // the source's normal column
    linalg::Vec3 first;            // V^-1 e of the target's side p1 - p0
    linalg::Vec3 second;           // V^-1 e of the target's side p2 - p0
    std::array<double, 3> weight;  // of the sides (1, 0), (2, 0), (2, 1)
};

/// The prescribed changes of the sides p1 - p0 and p2 - p0 of an element.
struct SideChange {
    linalg::Vec3 first{};
    linalg::Vec3 second{};
};

/// Makes an element from neutral points (V, 3) of source and target, where the source is aligned with the target. The
/// triangle must be degenerate in neither.
Element make_element(const Triangle& triangle, const double* source, const double* target);

/// (S - 1) e for a shape with offsets `offset` (V, 3) from the neutral points `source` (V, 3). Exactly 0 if the
/// triangle is only translated.
SideChange side_change(const Element& element, const double* source, const double* offset);

/// Adds an element's contribution to the right-hand side `sums` (V, 3).
void add_to_sums(const Element& element, const SideChange& change, double* sums);

}  // namespace rigcast::mesh
