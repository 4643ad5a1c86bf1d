#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

/// Faces are (F, 4) vertex indices, -1 in the last column pads triangles. Non-manifold edges, loose vertices,
/// degenerate faces and several components are all fine.

/// Throws ArgumentError, naming `function` and `argument`, if a corner is no vertex.
void check_faces(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                 const char* argument = "faces");

/// Corners of a face: 3 or 4.
inline int num_corners(const std::int32_t* face) {
    return face[3] < 0 ? 3 : 4;
}

/// An edge between two vertices, a < b.
struct Edge {
    std::int32_t a, b;
    friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// The edges of all faces, each once, ascending. A face's edges join its successive corners; a corner repeated
/// makes none.
std::vector<Edge> edges(View<const std::int32_t, 2> faces);

/// An edge with exactly two faces at it.
struct Hinge {
    Edge edge;
    std::int32_t first, second;  // faces, first < second
};

/// The hinges of a mesh, by ascending edge. Border edges and non-manifold edges are none.
std::vector<Hinge> hinges(View<const std::int32_t, 2> faces);

/// Neighbors of vertices along edges: those of k stand at start[k] ... start[k + 1], ascending.
struct Neighbors {
    Neighbors(View<const std::int32_t, 2> faces, std::int64_t num_vertices);
    std::vector<std::int32_t> start, vertex;
};

}  // namespace rigwright::mesh
