#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::face {

/// An edge between two vertices, and the triangles at it.
struct SharedEdge {
    mesh::Edge edge;
    std::vector<std::int32_t> triangles;
    bool inner() const { return triangles.size() == 2; }
};

/// The edges of triangles, ascending.
std::vector<SharedEdge> shared_edges(const std::vector<mesh::Corners>& triangles);

/// Triangles of a mesh, and the face that each is a part of.
struct SurfacePiece {
    std::vector<mesh::Corners> triangles;
    std::vector<std::int32_t> faces;
};

/// Triangles of faces (F, 4), quads split along their first diagonal, cut into pieces that meet along inner edges: in
/// the order of their first triangles. Triangles with two equal corners are left out.
std::vector<SurfacePiece> surface_pieces(View<const std::int32_t, 2> faces);

/// The borders of a piece that pass each of their vertices once, as vertices in order.
std::vector<std::vector<std::int32_t>> simple_borders(const std::vector<SharedEdge>& edges);

}  // namespace rigcast::face
