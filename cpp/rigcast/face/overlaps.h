#pragma once
#include <cstdint>

#include "rigcast/core/view.h"

namespace rigcast::face {

/// Triangles of the texture whose middle lies inside the texture of another triangle with which they share no vertex:
/// the layout puts two places of the mesh there. uvs (V, 2), faces (F, 4) checked, quads as two triangles. Triangles
/// next to a fold share vertices: num_folded counts them.
std::int64_t num_overlapped(View<const double, 2> uvs, View<const std::int32_t, 2> faces);

}  // namespace rigcast::face
