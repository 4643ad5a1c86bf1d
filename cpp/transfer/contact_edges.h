#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/view.h"
#include "transfer/triangles.h"

namespace rigwright::transfer {

/// What keeps two facing vertices i, j of a target (lips, lids) as far apart as the source says where they meet: the
/// edge across the gap g = x_i - x_j. A virtual triangle over the gap would do the same while the gap is open; it
/// degenerates where the surfaces touch, and what is left of its gradient is this edge. With the source placed on the
/// target, its gap g_s in the neutral and g in a shape, the target's gap is to be
///   L(|g|) Q g / |g|,   L(0) = 0, L(|g_s|) = |g_t|, of slope 1 above |g_s|,
/// Q the smallest rotation that turns g_s along g_t: a gap that closes in the source closes in the target. Where the
/// source's neutral touches there is no such ratio: the gap is g_t + g - g_s. An open gap is nobody's contact: the more
/// the source's gap opens, up to `reach`, the more the gap counts that the target has without contacts.
class ContactEdge {
public:
    /// `reach` > 0: where the source's gap is this long in a shape, contact has ended. A neutral gap of the source
    /// below a thousandth of it touches.
    ContactEdge(std::int32_t i, std::int32_t j, const Vector& source_gap, const Vector& target_gap, double reach);

    std::int32_t i, j;
    /// What the target's gap changes by where the source's becomes `gap`; `free` is what it changes by without
    /// contacts.
    Vector change(const Vector& gap, const Vector& free) const;

private:
    Vector source_, target_;
    Vector met(const Vector& gap) const;

    double reach_, source_length_, ratio_;  // ratio |g_t| / |g_s|; negative where the source touches
    std::array<double, 9> rotation_;
};

/// Adds a contact's part of the right-hand side to sums (V, 3).
void add_to_sums(const ContactEdge& contact, double weight, const Vector& change, double* sums);

}  // namespace rigwright::transfer
