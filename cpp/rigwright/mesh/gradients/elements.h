#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/mesh/triangles.h"

namespace rigwright::mesh {

/// One triangle of the sum that a transfer minimizes (Sumner and Popovic 2004, equation 8), its fourth vertices
/// eliminated. The source's deformation gradient S = V~ V^-1, V = [p1 - p0, p2 - p0, normal_column], is to act on the
/// target's triangle. A target's fourth vertex occurs in its own triangle only and is free, so it can always match
/// what S does to the normal: what remains is what S does to the two sides. Weighted by area,
///   area |(grad x - S) P|^2 = sum over sides (i, j) of cot / 2 |(x_i - x_j) - S e_ij|^2,
/// P the projection on the triangle's plane, e the target's sides, cot the cotangent of the angle across from the side
/// (Botsch et al. 2006). The unknowns shrink from V + F to V, the minimizer is the same, and the matrix is the
/// cotangent Laplacian, positive semidefinite whatever the angles.
struct Element {
    Corners vertex;
    linalg::Vec3 normal;           // the source's normal column
    linalg::Vec3 first, second;    // V^-1 e of the target's sides p1 - p0 and p2 - p0
    std::array<double, 3> weight;  // of the sides (1, 0), (2, 0), (2, 1)
};

/// What the sides p1 - p0 and p2 - p0 of an element are to change by.
struct SideChange {
    linalg::Vec3 first{}, second{};
};

/// Makes an element; `source` and `target` are neutral points (V, 3), the source placed on the target. Neither may be
/// degenerate there.
Element make_element(const Triangle& triangle, const double* source, const double* target);

/// (S - 1) e for a shape: `source` the neutral points (V, 3), `offset` what the shape adds to them. Exactly 0 where
/// the triangle moves as a whole without turning.
SideChange side_change(const Element& element, const double* source, const double* offset);

/// Adds an element's part of the right-hand side to sums (V, 3).
void add_to_sums(const Element& element, const SideChange& change, double* sums);

}  // namespace rigwright::mesh
