#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::mesh {

/// Some vertices and faces of a mesh, in their order in the mesh.
struct Submesh {
    std::vector<std::int32_t> vertices;  // (S) indices in the mesh, ascending
    std::vector<std::int32_t> faces;     // (F, 4) indices into `vertices`; -1 pads triangles
};

/// The smallest submesh on which `iterations` iterations of Smoothing and then VertexFrames give the given vertices the
/// same bytes as on the whole mesh: the faces at these vertices, plus one ring of neighbors per iteration. Results near
/// the border of the submesh differ from those of the whole mesh.
Submesh smoothing_submesh(View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                          View<const std::int32_t, 1> vertices, int iterations);

}  // namespace rigcast::mesh
