#pragma once
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/linalg/vec3.h"

namespace rigcast::mesh {

/// Twice the area vector of a face: the cross product of two sides of a triangle, or of the diagonals of a quad. Its
/// direction is the face's normal by the right-hand rule. vertices: (V, 3).
inline linalg::Vec3 area_vector(const float* vertices, const std::int32_t* face) {
    const std::int32_t last = face[3] < 0 ? face[0] : face[3];
    return cross(linalg::difference(vertices, face[2], face[0]), linalg::difference(vertices, last, face[1]));
}

/// Writes unit vertex normals (V, 3): the normalized sum of the area vectors of the faces at each vertex, or (0, 0, 0)
/// if the sum is 0, as for a loose vertex.
void vertex_normals(View<const float, 2> vertices, View<const std::int32_t, 2> faces, View<float, 2> normals);

}  // namespace rigcast::mesh
