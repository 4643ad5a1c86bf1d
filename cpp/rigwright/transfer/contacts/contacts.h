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

/// Keeps lips and lids of a target as the source says where they meet: what comes together there comes together here,
/// at the same place, and what does not cross there does not cross here. In a shape, a member of the patch and the
/// point of the surface that is nearest to it (ContactPatch) are partners; r is the length of the edges at the member.
///
/// Meetings come first. Gradients know nothing of the other lid: on an eye of another form a blink ends before or
/// beyond it. Where a member of the source, s r from its partner in the shape and s_0 r in the neutral, has come near,
/// its place beside the same point of the target moves toward the source's (placed on the target), by the part
///   (1 - s^2 / 4) clip((s_0 - s - 1) / 2, 0, 1),   0 < s < 2,
/// which is 1 for what has come from afar to touch. A smooth correction c of the surroundings minimizes
///   sum |grad c|^2 + sum anchor_v |c_v|^2 + weight sum_met |c - demanded|^2,
/// the anchor falling with what the source's shape moves a vertex by: a lid takes it up as far as it moves.
///
/// Then crossings. A member faces a point on a surface with an opposed normal; its gap along the normal is g in the
/// target and s in the source. Where s and the gaps of both neutrals are positive g is to be min(s, r / 50) or more;
/// what the source itself cuts, or the target's neutral, is nothing to mend here. Only gaps along the normal count:
/// surfaces may slide. The correction is as above, with one anchor for all and the whole patch asked to stay or to
/// move, so that one factorization serves all shapes.
///
/// Both move the two sides by as much as the source's shape moves each, in rounds until nothing is left to move or
/// they are over.
class Contacts {
public:
    /// `target` are the neutral's points (V, 3); `elements` and `is_fixed` (V) its own; `weight` > 0.
    Contacts(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* target,
             const std::vector<mesh::Element>& elements, const std::vector<char>& is_fixed, double weight);

    /// Corrects offsets `moved` (V, 3) of the target (V, 3) in place, for offsets of the placed source (V, 3).
    void meet(const double* source, const double* offset, const double* target, double* moved) const;

private:
    struct Situation;
    struct Meeting;
    struct Demands;
    std::vector<Meeting> meetings(const Situation& now) const;
    void keep_meetings(Situation* now) const;
    void part_crossings(Situation* now) const;
    std::unique_ptr<const linalg::SparseCholesky> meeting_system(const Demands& demands, const double* offset) const;
    linalg::Vec3 crossing(const Situation& now, std::size_t m, const ContactPatch::Partner& partner) const;
    void correct(const linalg::SparseCholesky& system, const Demands& demands, Situation* now) const;

    ContactPatch patch_;
    double weight_;
    std::vector<double> reach_;            // of members: the length of their edges
    std::vector<std::int32_t> region_;     // vertices that may be corrected
    std::vector<std::int32_t> patch_row_;  // of patch vertices: row in the system, -1 where fixed
    mesh::Laplacian laplacian_{0};         // of the region
    std::unique_ptr<const linalg::SparseCholesky> crossing_system_;
};

}  // namespace rigwright::transfer
