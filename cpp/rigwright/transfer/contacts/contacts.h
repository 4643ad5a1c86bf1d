#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/linalg/sparse/sparse_cholesky.h"
#include "rigwright/mesh/gradients/cotangent_laplacian.h"
#include "rigwright/mesh/gradients/elements.h"
#include "rigwright/transfer/contacts/patch.h"

namespace rigwright::transfer {

/// Corrects transferred shapes at the contacts of lips and lids: surfaces that come together in the source come
/// together in the target, and surfaces that do not cross in the source or a neutral do not cross in the target.
///
/// Each contact vertex has a partner in a shape: the nearest point of the opposite surface (ContactPatch). Below, r is
/// the mean edge length at the vertex. Each correction has rounds: find displacements of contact vertices and partners,
/// apply a smooth correction of the surroundings that follows them, repeat until they are small. A displacement is
/// split between the two sides in proportion to how far the source's shape moves each.
///
/// 1. Meetings. Deformation gradients know nothing of the opposite surface: on an eye of another form a blink ends
///    before or beyond the other lid. If a vertex of the source is s r from its partner in the shape and s_0 r in the
///    neutral, the vector from partner to vertex moves from the target's toward the placed source's by the share
///      (1 - s^2 / 4) clip((s_0 - s - 1) / 2, 0, 1),   0 < s < 2,
///    which is 1 for a vertex that comes from far away and touches. The correction c minimizes
///      sum |grad c|^2 + sum_v anchor_v |c_v|^2 + weight sum_displaced |c - displacement|^2.
///    The anchor falls with how far the source's shape moves a vertex, so that the moving part of a lid takes up the
///    correction. Cost: one factorization per shape.
/// 2. Crossings. With g and s the gaps along the normal of a partner that faces the vertex, in the target and in the
///    source: if s and the gaps of both neutrals are positive, g is raised to min(s, r / 50). Intersections already
///    present in the source shape or in a neutral are left alone, and surfaces may slide. The anchor is the same for
///    all vertices and every patch vertex is pulled to its displacement, 0 for most, so that one factorization serves
///    all shapes.
class Contacts {
public:
    /// `target` are the neutral's points (V, 3); `elements` and `is_fixed` (V) are the target's; `weight` > 0.
    Contacts(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* target,
             const std::vector<mesh::Element>& elements, const std::vector<char>& is_fixed, double weight);

    /// Corrects the offsets `moved` (V, 3) from the target's neutral points in place. `source` (V, 3) are the neutral
    /// points of the source, placed on the target, and `offset` (V, 3) the shape's offsets from them.
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

}  // namespace rigwright::transfer
