#pragma once
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::face {

/// Stretches each axis of texture coordinates uvs (V, 2) to the unit interval so that places where the motion changes
/// fast from vertex to vertex get more texels.
/// `change` (E) is how much the offsets of the two ends of each edge differ. Along an axis, each edge adds its change
/// to the interval that it covers; the new coordinate is the integral of base + (change / mean change)^(3/4), piecewise
/// linear over 64 intervals. It rises everywhere, so neighbors along the axis keep their order.
/// Returns (V, 2). An axis without extent becomes 1/2.
std::vector<double> space_uvs(View<const double, 2> uvs, const std::vector<mesh::Edge>& edges,
                              const std::vector<double>& change);

}  // namespace rigcast::face
