#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

/// A part of a mesh, its vertices and faces in the order of the whole.
struct Submesh {
    std::vector<std::int32_t> vertices;  // (S), ascending indices of the whole mesh
    std::vector<std::int32_t> faces;     // (F, 4), corners are places in `vertices`
};

/// The part of a mesh on which `iterations` rounds of Smoothing, then VertexFrames, give some vertices what they give
/// on the whole mesh, bit for bit: the faces around the vertices, then one ring of edges per round. What they give
/// near the border of the part is different.
Submesh smoothing_submesh(View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                          View<const std::int32_t, 1> vertices, int iterations);

}  // namespace rigwright::mesh
