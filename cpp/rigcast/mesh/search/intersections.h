#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::mesh {

/// The pairs of faces of a mesh that intersect each other: lower index first, each pair once, ascending.
/// points: (V, 3). faces: (F, 4); quads are split along their first diagonal. chosen: (F); only faces with a nonzero
/// entry are tested. Faces that share a vertex are not tested. Touching or coplanar faces do not count as intersecting.
std::vector<std::array<std::int32_t, 2>> self_intersections(View<const float, 2> points,
                                                            View<const std::int32_t, 2> faces,
                                                            View<const std::uint8_t, 1> chosen);

}  // namespace rigcast::mesh
