#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::mesh {

/// Faces are (F, 4) vertex indices; -1 in the last column pads triangles. Non-manifold edges, loose vertices,
/// degenerate faces and several components are allowed.

/// Throws ArgumentError, which names `function` and `argument`, if a face has an index out of range. The functions
/// below need checked faces.
void check_faces(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                 const char* argument = "faces");

/// The number of corners of a face: 3 or 4.
inline int num_corners(const std::int32_t* face) {
    return face[3] < 0 ? 3 : 4;
}

/// An edge between two vertices, a < b.
struct Edge {
    std::int32_t a;
    std::int32_t b;
    friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// The edges of all faces, each once, ascending. The edges of a face connect its successive corners; a degenerate face
/// has no edge between two corners that are the same vertex.
std::vector<Edge> edges(View<const std::int32_t, 2> faces);

/// An edge with exactly two faces.
struct Hinge {
    Edge edge;
    std::int32_t first;   // the face with the lower index
    std::int32_t second;  // the other face
};

/// The hinges of a mesh, sorted by edge. Border edges and non-manifold edges are not among them.
std::vector<Hinge> hinges(View<const std::int32_t, 2> faces);

/// The neighbors of each vertex along edges: vertex k has vertex[start[k]] to before vertex[start[k + 1]], ascending.
struct Neighbors {
    Neighbors(View<const std::int32_t, 2> faces, std::int64_t num_vertices);
    std::vector<std::int32_t> start;  // (V + 1)
    std::vector<std::int32_t> vertex;
};

}  // namespace rigcast::mesh
