#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/mesh/gradients/cotangent_laplacian.h"
#include "rigcast/mesh/gradients/elements.h"
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
    static linalg::Vec3 at(const std::vector<linalg::Vec3>& values, const Partner& partner) {
        linalg::Vec3 result{};
        for (int c = 0; c < 3; ++c) {
            for (int i = 0; i < 3; ++i) result[i] += partner.weight[c] * values[partner.corner[c]][i];
        }
        return result;
    }
    /// The vector from the partner to the vertex.
    static linalg::Vec3 between(const Pose& pose, std::int32_t vertex, const Partner& partner) {
        return pose.point[vertex] - at(pose.point, partner);
    }
    /// The signed distance of the vertex from its partner along the partner's normal, which is written to `normal` if
    /// that is not null. Negative: the vertex has crossed the surface.
    static double gap(const Pose& pose, std::int32_t vertex, const Partner& partner, linalg::Vec3* normal = nullptr) {
        linalg::Vec3 n = at(pose.normal, partner);
        const double size = length(n);
        for (int i = 0; i < 3 && size > 0.0; ++i) n[i] /= size;
        if (normal) *normal = n;
        return dot(n, between(pose, vertex, partner));
    }

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

/// Corrects transferred shapes at the contacts of lips and lids: surfaces that come together in the source come
/// together in the target, and surfaces that do not cross in the source or a neutral do not cross in the target.
///
/// Each contact vertex has a partner in a shape: the nearest point of the opposite surface (ContactPatch). Below, r is
/// the mean edge length at the vertex in the target's neutral. Both corrections are iterated: find the wanted
/// displacements of contact vertices and partners, apply a smooth correction of their surroundings that follows them,
/// and repeat until the displacements are small or the rounds are used up. A displacement is split between vertex and
/// partner in proportion to how far the source's shape moves each.
///
/// 1. Meetings. Deformation gradients know nothing of the opposite surface: if the target's eye has another form, a
///    blink ends before or beyond the other lid. Let d be the vector from the partner to the vertex, and s = |d| / r in
///    the source's shape, s_0 in the source's neutral. The target's d is interpolated toward that of the placed source
///    by the fraction
///      (1 - s^2 / 4) clip((s_0 - s - 1) / 2, 0, 1),   0 < s < 2,
///    which is 1 for a vertex that comes from far away and touches. The correction c minimizes
///      sum |grad c|^2 + sum_v anchor_v |c_v|^2 + weight sum_displaced |c - displacement|^2.
///    The farther the source's shape moves a vertex, the smaller is its anchor, so that the moving part of a lid takes
///    up the correction. Cost: one factorization per shape.
/// 2. Crossings. The gap of a vertex is its signed distance from its partner along the partner's normal; partners face
///    the vertex. Let g be the gap in the target's shape and h in the source's. If h and the gaps in both neutrals are
///    positive, a gap g well below min(h, r / 50) is raised to it. Intersections already present in the source's shape
///    or in a neutral are left alone, and surfaces may slide. Cost: one factorization for all shapes, since the anchor
///    is the same for all vertices and every patch vertex is pulled to its displacement, which is 0 for most.
class Contacts {
public:
    /// `pairs` (P, 2) are pairs of vertices that face each other across a gap, and `faces` the target's; the caller has
    /// checked both. `target` (V, 3) are the target's neutral points; `elements` and `is_fixed` (V) are the target's.
    /// `weight` > 0 pulls corrections to the displacements.
    Contacts(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* target,
             const std::vector<mesh::Element>& elements, const std::vector<char>& is_fixed, double weight);

    /// Corrects the offsets `moved` (V, 3) of the transferred shape from the target's neutral points `target` (V, 3),
    /// in place. `source` (V, 3) are the source's neutral points, placed on the target, and `offset` (V, 3) the offsets
    /// of the source's shape from them. Fixed vertices do not move. Thread-safe.
    void correct(const double* source, const double* offset, const double* target, double* moved) const;

private:
    struct ShapeState;
    struct Meeting;
    struct Displacements;
    std::vector<Meeting> find_meetings(const ShapeState& state) const;
    void close_meetings(ShapeState* state) const;
    void separate_crossings(ShapeState* state) const;
    std::unique_ptr<const linalg::SparseCholesky> meeting_system(const Displacements& displacements,
                                                                 const double* offset) const;
    linalg::Vec3 separation(const ShapeState& state, std::size_t contact, const ContactPatch::Partner& partner) const;
    void apply(const linalg::SparseCholesky& system, const Displacements& displacements, ShapeState* state) const;

    ContactPatch patch_;
    double weight_;
    std::vector<double> edge_length_;      // (contact vertices) mean length of the edges there
    std::vector<std::int32_t> region_;     // mesh vertices that corrections may move
    std::vector<std::int32_t> patch_row_;  // (patch vertices) row in the systems, -1 if fixed
    mesh::Laplacian laplacian_{0};         // of the region
    std::unique_ptr<const linalg::SparseCholesky> crossing_system_;
};

/// Finds contacts, pairs of vertices of surfaces that meet, such as lips and lids, in poses (P, V, 3), the first of
/// which is the neutral.
///
/// A vertex is paired with the vertex that comes nearest to it in the neutral or in a pose that moves it, in units of
/// the neutral's mean edge length at the vertex, among those that
///   - are within `max_distance` of these units and have an opposed normal in that pose,
///   - are across a gap outside the body in the neutral: opposite sides of something thin are no contact,
///   - belong to the same component and are more than three edges away along the surface.
/// Returns each pair once, the lower vertex first, ascending; the same for any number of threads. The caller checks the
/// arguments.
std::vector<std::array<std::int32_t, 2>> find_contacts(View<const float, 3> poses, View<const std::int32_t, 2> faces,
                                                       double max_distance, int threads);

}  // namespace rigcast::transfer
