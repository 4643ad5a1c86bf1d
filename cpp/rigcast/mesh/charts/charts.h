#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::mesh {

/// An edge between two vertices, and the triangles at it.
struct SharedEdge {
    Edge edge;
    std::vector<std::int32_t> triangles;
    bool inner() const { return triangles.size() == 2; }
};

/// The edges of triangles, ascending.
std::vector<SharedEdge> shared_edges(const std::vector<Corners>& triangles);

/// Triangles of a mesh, and the face that each is a part of.
struct SurfacePiece {
    std::vector<Corners> triangles;
    std::vector<std::int32_t> faces;
};

/// Triangles of faces (F, 4), quads split along their first diagonal, cut into pieces that meet along inner edges: in
/// the order of their first triangles. Triangles with two equal corners are left out.
std::vector<SurfacePiece> surface_pieces(View<const std::int32_t, 2> faces);

/// The borders of a piece that pass each of their vertices once, as vertices in order.
std::vector<std::vector<std::int32_t>> simple_borders(const std::vector<SharedEdge>& edges);

/// A piece of a surface, cut open until it is a disk: its vertices are copies of the mesh's, several of a vertex on a
/// cut.
struct Disk {
    std::vector<std::int32_t> vertex;  // (D) the vertex of the mesh that each copy is of; -1 in the middle of a hole
    std::vector<Corners> triangles;    // of copies; those that fill holes stand last
    std::vector<std::int32_t> faces;   // (num_triangles) the face of the mesh that each triangle is a part of
    std::vector<double> points;        // (D, 3)
    std::vector<std::int32_t> border;  // copies along the border, each once
    std::int64_t num_triangles = 0;    // without those that fill holes
    std::int64_t num_holes = 0;        // that were filled
    std::int64_t num_cut = 0;          // edges that were cut open
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

/// Texture coordinates (D, 2) of a disk in the unit square that stretch it little.
///
/// Method: the border follows the border of the square by length; each inner vertex is a convex combination of its
/// neighbors, with mean value weights at first (Floater 2003, equation 2.1), so that no triangle folds (but at the
/// corners of the square, where all vertices of a triangle may lie on one line). Then weights are divided by the
/// stretch of the neighbor, again and again, as long as the stretch of the whole falls (Yoshizawa, Belyaev and Seidel
/// 2004, section 3). Stretch is that of Sander et al. (2001), L2.
/// Guarantee: the same bytes with every instruction set.
///
/// Returns nothing if the disk has no single border, or the coordinates are not finite.
std::vector<double> minimum_stretch(const Disk& disk);

/// The L2 stretch of a disk at coordinates (D, 2): root of the mean of (a + c) / 2 over its area, with the squared
/// lengths a and c of the derivatives of the surface along u and v, times the root of its area in the texture over that
/// in space: 1 if it keeps lengths, and above 1 else. Triangles with all vertices on the border are left out.
double stretch(const Disk& disk, const std::vector<double>& uvs);

/// A mesh laid out in charts, each in a unit square of its own.
struct Charts {
    struct Chart {
        double stretch = 0.0;        // see the function `stretch`; 0 for a chart that could not be laid out
        std::int64_t num_cut = 0;    // edges that were cut open
        std::int64_t num_holes = 0;  // that were filled
    };
    std::vector<double> uvs;          // (V, 2), 1/2 for vertices of no chart
    std::vector<std::int32_t> chart;  // (V), -1 for vertices of no chart
    std::vector<bool> whole;          // (F) faces whose corners lie at their vertices' coordinates: not on a cut
    std::vector<Chart> charts;
};

/// Texture coordinates for a mesh without any: each piece is cut into a disk (cut_to_disks) that is laid out with
/// little stretch (minimum_stretch). A vertex on a cut has the coordinates of its first copy. Guarantee: the same bytes
/// with every instruction set. points (V, 3), faces (F, 4). Throws ArgumentError if a point is not finite or a face has
/// an index out of range.
Charts chart_uvs(View<const float, 2> points, View<const std::int32_t, 2> faces);

}  // namespace rigcast::mesh
