#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/search/box_tree.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::transfer {

/// The surface around contacts of lips and lids: the triangles with a vertex within two rings of the vertices of
/// contact pairs. Quads are cut along their first diagonal. Patch vertices have numbers of their own; mesh_vertex()
/// gives those of the mesh.
class ContactPatch {
public:
    /// `pairs` (P, 2) and `faces` are checked by the caller. `points` (V, 3) is a typical pose: the search tree is
    /// built there and refitted to others.
    ContactPatch(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* points,
                 std::int64_t num_vertices);

    const std::vector<std::int32_t>& mesh_vertex() const { return mesh_vertex_; }
    /// The patch vertices that are in a contact pair, ascending.
    const std::vector<std::int32_t>& contact_vertices() const { return contact_vertices_; }

    /// Points and normals of the patch vertices.
    struct Pose {
        std::vector<linalg::Vec3> point;
        std::vector<linalg::Vec3> normal;
    };
    /// The pose at points + offset, both (V, 3); no offset if it is null.
    Pose pose(const double* points, const double* offset) const;

    /// The point of the surface opposite to a contact vertex: barycentric coordinates `weight` in a triangle of the
    /// patch.
    struct Partner {
        mesh::Corners corner{-1, -1, -1};
        linalg::Vec3 weight{};
        bool found() const { return corner[0] >= 0; }
    };
    /// The mean length of the triangle sides at each contact vertex.
    std::vector<double> edge_lengths(const Pose& pose) const;
    /// Which surface points may be partners: all, or those whose normal is opposed to the contact vertex's.
    enum class Side { any, opposed };
    /// The nearest partner of each contact vertex within `max_distance` (contact vertices), on triangles without a
    /// vertex within three edges of it along the surface. If `moves` (patch vertices) is 0 for the vertex, only
    /// triangles with a moving vertex count: two surfaces at rest have no partners.
    std::vector<Partner> partners(const Pose& pose, const std::vector<double>& max_distance,
                                  const std::vector<char>& moves, Side side) const;

    /// The value at a partner, interpolated from its corners.
    static linalg::Vec3 at(const std::vector<linalg::Vec3>& values, const Partner& partner);
    /// The vector from the partner to the vertex.
    static linalg::Vec3 between(const Pose& pose, std::int32_t vertex, const Partner& partner);
    /// The signed distance of the vertex from its partner along the partner's normal, which is written to `normal` if
    /// that is not null. Negative: the vertex has crossed the surface.
    static double gap(const Pose& pose, std::int32_t vertex, const Partner& partner, linalg::Vec3* normal = nullptr);

private:
    mesh::Box box(const Pose& pose, const mesh::Corners& triangle) const;
    double nearer(const Pose& pose, std::int32_t contact, std::int32_t triangle, Side side, double so_far,
                  Partner* partner) const;

    std::vector<std::int32_t> mesh_vertex_;
    std::vector<std::int32_t> contact_vertices_;
    std::vector<mesh::Corners> triangles_;
    std::vector<std::vector<std::int32_t>> near_;  // (contact vertices) patch vertices within three edges, ascending
    mesh::BoxTree tree_{{}};                       // of triangles, in the pose that the patch was made with
};

}  // namespace rigcast::transfer
