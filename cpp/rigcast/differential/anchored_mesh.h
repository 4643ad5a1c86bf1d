#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::differential {

/// Throws ArgumentError, which names `function`, if there is no vertex or a face has an index out of range. The graph
/// Laplacian needs edges alone: any number of faces may meet at an edge or a vertex, a face may repeat a corner, and a
/// vertex without a face is a component of its own, whose anchor it is.
void check_mesh(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices);

/// The connected component of each vertex, numbered by first vertices, and their number. Requires: check_mesh.
struct MeshComponents {
    MeshComponents(View<const std::int32_t, 2> faces, std::int64_t num_vertices);
    std::vector<std::int32_t> of;  // (V)
    std::int32_t count;
};

/// Throws ArgumentError, which names `function`, unless anchors are different vertices, with one in each component. The
/// text names the first component without an anchor. Requires: check_mesh.
void check_anchors(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                   View<const std::int32_t, 1> anchors);

}  // namespace rigcast::differential
