#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/mesh/search/box_tree.h"
#include "rigwright/mesh/triangles.h"

namespace rigwright::transfer {

/// The part of a surface where lips and lids meet: the triangles within three rings of the vertices of contact pairs
/// (quads cut along their first diagonal). Vertices are numbered within the patch; vertex() says which of the mesh they
/// are.
class ContactPatch {
public:
    /// Arguments are checked by the caller. `points` (V, 3): a pose that others are not far from.
    ContactPatch(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* points,
                 std::int64_t num_vertices);

    const std::vector<std::int32_t>& vertex() const { return vertex_; }
    /// Patch vertices that are in a contact pair, ascending: those that look for what they face.
    const std::vector<std::int32_t>& members() const { return members_; }

    /// Positions of the patch and normals there, for points (V, 3) and offsets that are added to them.
    struct Pose {
        std::vector<linalg::Vec3> point, normal;
    };
    Pose pose(const double* points, const double* offset) const;

    /// A point of the patch's surface, barycentric, that a member faces.
    struct Partner {
        mesh::Corners corner{-1, -1, -1};
        linalg::Vec3 weight{};
        bool found() const { return corner[0] >= 0; }
    };
    /// (members) The mean length of the triangles' sides at each member.
    std::vector<double> edge_lengths(const Pose& pose) const;
    /// Which partners count: all, or those whose normal is opposed to the member's.
    enum class Side { any, opposed };
    /// The nearest point within `reach` (members) of each member, on triangles that are not within three edges of it
    /// along the surface. Members for which `moves` (patch vertices) is 0 look among triangles that move only: of two
    /// things that rest neither has a partner.
    std::vector<Partner> partners(const Pose& pose, const std::vector<double>& reach, const std::vector<char>& moves,
                                  Side side) const;

    /// A value at a partner, mixed of those at its corners.
    static linalg::Vec3 at(const std::vector<linalg::Vec3>& values, const Partner& partner);
    /// From the partner to the member.
    static linalg::Vec3 between(const Pose& pose, std::int32_t member, const Partner& partner);
    /// How far a member is on the outer side of its partner, along the partner's normal; with the normal if asked for.
    static double gap(const Pose& pose, std::int32_t member, const Partner& partner, linalg::Vec3* normal = nullptr);

private:
    mesh::Box box(const Pose& pose, const mesh::Corners& triangle) const;
    double closest(const Pose& pose, std::int32_t m, std::int32_t triangle, Side side, double so_far,
                   Partner* partner) const;

    std::vector<std::int32_t> vertex_, members_;
    std::vector<mesh::Corners> triangles_;
    std::vector<std::vector<std::int32_t>> near_;  // of members: patch vertices within three edges, ascending
    mesh::BoxTree tree_{{}};                       // of triangles, in the pose that the patch was made with
};

}  // namespace rigwright::transfer
