#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::face {

/// A piece of a surface, cut open until it is a disk: its vertices are copies of the mesh's, several of a vertex on a
/// cut.
struct Disk {
    std::vector<std::int32_t> vertex;  // (D) the vertex of the mesh that each copy is of; -1 in the middle of a hole
    std::vector<mesh::Corners> triangles;  // of copies; those that fill holes stand last
    std::vector<std::int32_t> faces;       // (num_triangles) the face of the mesh that each triangle is a part of
    std::vector<double> points;            // (D, 3)
    std::vector<std::int32_t> border;      // copies along the border, each once
    std::int64_t num_triangles = 0;        // without those that fill holes
    std::int64_t num_holes = 0;            // that were filled
    std::int64_t num_cut = 0;              // edges that were cut open
};

/// Cuts a mesh into disks, one for each piece whose triangles meet along edges.
///
/// Method: all borders but the longest of a piece are filled with fans. Then triangles are glued along a breadth-first
/// tree, and the edges that the tree does not cross are glued as well, from their loose ends on; what remains are loops
/// around handles, which are cut. A closed surface without handles is cut along a path between two vertices that lie
/// far from each other. Edges of more than two triangles are borders.
/// Guarantee: the same result with every instruction set.
///
/// points (V, 3), faces (F, 4) checked. Degenerate triangles with two equal corners are left out. Pieces are in the
/// order of their first triangles.
std::vector<Disk> cut_to_disks(View<const float, 2> points, View<const std::int32_t, 2> faces);

}  // namespace rigcast::face
