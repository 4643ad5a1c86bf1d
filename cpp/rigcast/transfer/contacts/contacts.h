#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/mesh/gradients/cotangent_laplacian.h"
#include "rigcast/mesh/gradients/elements.h"
#include "rigcast/transfer/contacts/patch.h"

namespace rigcast::transfer {

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

}  // namespace rigcast::transfer
