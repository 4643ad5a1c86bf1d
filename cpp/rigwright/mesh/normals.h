#pragma once
#include <array>
#include <cstdint>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

/// Twice the area vector of a face: the cross product of two sides of a triangle, of the two diagonals of a
/// quad; its direction is the face's normal by the right-hand rule. `vertices` are V x 3 floats.
inline std::array<double, 3> area_vector(const float* vertices, const std::int32_t* face) {
    const float *p0 = vertices + 3 * face[0], *p1 = vertices + 3 * face[1], *p2 = vertices + 3 * face[2];
    const float* p3 = vertices + 3 * (face[3] < 0 ? face[0] : face[3]);
    const double a[3] = {double(p2[0]) - p0[0], double(p2[1]) - p0[1], double(p2[2]) - p0[2]};
    const double b[3] = {double(p3[0]) - p1[0], double(p3[1]) - p1[1], double(p3[2]) - p1[2]};
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Writes (V, 3) unit vertex normals: the normalised sum of the area vectors of the faces at each vertex. A
/// vertex whose sum vanishes (a loose one) gets (0, 0, 0).
void vertex_normals(View<const float, 2> vertices, View<const std::int32_t, 2> faces, View<float, 2> normals);

}  // namespace rigwright::mesh
