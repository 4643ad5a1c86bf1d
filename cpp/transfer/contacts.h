#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/view.h"
#include "linalg/sparse_cholesky.h"
#include "transfer/contact_patch.h"
#include "transfer/elements.h"

namespace rigwright::transfer {

/// Keeps lips and lids of a target as the source says where they meet: what does not cross there does not cross here,
/// and what the source closes is closed. Only gaps along the normal count; surfaces may slide.
///
/// In a shape, a member of the patch faces a point of the surface across from it; s is its gap in the source (placed on
/// the target), g in the target. Within the length r of the edges at the member there are two demands:
/// - crossing: for the point that it faces in the target's shape, g >= min(s, r / 50), where s and the gaps of both
///   neutrals are positive: what the source itself cuts, or the target's neutral, is nothing to mend here;
/// - touching: for the point that it faces in the source's shape, where the source closes (farther than 3 r in its
///   neutral, 0 <= s < 0.3 r now) and g > s: g moves toward s, by a part that falls from 1 for s = 0 to 0 for s = 0.3
///   r.
/// A demand moves both sides by half along the normal. Demands are met in a few rounds; in each, a smooth correction c
/// of the surroundings minimises sum |grad c|^2 + anchor |c|^2 + weight sum_patch |c - demanded|^2. Without the anchor
/// a correction would fade with the logarithm of the distance only.
class Contacts {
public:
    /// `target` are the neutral's points (V, 3); `elements` and `is_fixed` (V) its own; `weight` > 0.
    Contacts(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* target,
             const std::vector<Element>& elements, const std::vector<char>& is_fixed, double weight);

    /// Corrects offsets `moved` (V, 3) of the target (V, 3) in place, for offsets of the placed source (V, 3).
    void meet(const double* source, const double* offset, const double* target, double* moved) const;

private:
    struct Situation;
    struct Demands;
    double crossing(const Situation& now, std::size_t m, const ContactPatch::Partner& partner, double gap) const;
    double touching(const Situation& now, std::size_t m, const ContactPatch::Partner& partner, double gap) const;
    bool correct(const Demands& demands, double* moved) const;

    ContactPatch patch_;
    double weight_;
    std::vector<double> reach_;            // of members
    std::vector<std::int32_t> region_;     // vertices that may be corrected
    std::vector<std::int32_t> patch_row_;  // of patch vertices: row in the system, -1 where fixed
    std::unique_ptr<const linalg::SparseCholesky> cholesky_;
};

}  // namespace rigwright::transfer
