#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

/// Pairs of faces of `points` (V, 3) that cut through each other, the lower face first, ascending, each once. Faces
/// that share a vertex are not compared, and touching or lying in one plane is no cut. Quads are cut along their first
/// diagonal. `chosen` (F): only faces with a nonzero entry are compared.
std::vector<std::array<std::int32_t, 2>> self_intersections(View<const float, 2> points,
                                                            View<const std::int32_t, 2> faces,
                                                            View<const std::uint8_t, 1> chosen);

}  // namespace rigwright::mesh
