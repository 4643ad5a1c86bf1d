#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::differential {

/// Throws ArgumentError, which names `function`, unless faces (F, 4) are a manifold mesh that uses every vertex: all
/// indices in range, no face with a repeated corner, at most two faces per edge, and the faces of a vertex connected
/// through its edges.
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
