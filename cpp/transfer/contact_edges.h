#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/view.h"
#include "transfer/triangles.h"

namespace rigwright::transfer {

/// What keeps two facing vertices i, j of a target (lips, lids) as far apart as the source says: the edge across the
/// gap g = x_i - x_j. A virtual triangle over the gap would do the same while the gap is open; it degenerates where
/// the surfaces touch, and what is left of its gradient is this edge. With the source placed on the target, its gap
/// g_s in the neutral and g in a shape, the target's gap is to be
///   L(|g|) Q g / |g|,   L(0) = 0, L(|g_s|) = |g_t|, of slope 1 above |g_s|,
/// Q the smallest rotation that turns g_s along g_t: a gap that closes in the source closes in the target, and one
/// that opens opens by as much. Where the source's neutral touches there is no such ratio: the gap is g_t + g - g_s.
class ContactEdge {
public:
    /// `touching`: a source gap below this length counts as touching.
    ContactEdge(std::int32_t i, std::int32_t j, const Vector& source_gap, const Vector& target_gap, double touching);

    std::int32_t i, j;
    /// What the target's gap changes by where the source's becomes `gap`.
    Vector change(const Vector& gap) const;

private:
    Vector source_, target_;
    double source_length_, ratio_;  // ratio |g_t| / |g_s|; negative where the source touches
    std::array<double, 9> rotation_;
};

}  // namespace rigwright::transfer
