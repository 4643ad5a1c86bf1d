#include "rigcast/mesh/normals.h"

#include <cmath>
#include <vector>

#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {

void vertex_normals(View<const float, 2> vertices, View<const std::int32_t, 2> faces, View<float, 2> normals) {
    std::vector<double> sums(static_cast<std::size_t>(vertices.size()), 0.0);
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        const linalg::Vec3 area = area_vector(vertices.data(), face);
        for (int corner = 0; corner < num_corners(face); ++corner) {
            for (int axis = 0; axis < 3; ++axis) sums[3 * face[corner] + axis] += area[axis];
        }
    }
    for (std::int64_t k = 0; k < vertices.extent(0); ++k) {
        const double* n = sums.data() + 3 * k;
        const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int axis = 0; axis < 3; ++axis) normals(k, axis) = length > 0.0 ? static_cast<float>(n[axis] / length) : 0;
    }
}

}  // namespace rigcast::mesh
