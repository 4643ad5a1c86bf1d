#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/rig_gram.h"
#include "rigcast/inverse/solve.h"

namespace rigcast::inverse {

/// The feasible weights of a shot, T frames of K shapes.
struct WeightBox {
    std::vector<double> lower;       // (T, K)
    std::vector<double> upper;       // (T, K): equal to `lower` for pinned weights
    std::vector<std::int32_t> ties;  // (K): the shape whose weight shape k copies, k itself if it is not tied
};

/// Makes the box of checked targets: the intersection of bounds, pins and the boxes of tied shapes, with idle shapes
/// pinned. Throws ArgumentError as solve does.
WeightBox make_box(const RigGram& gram, const ShotTargets& shot);

/// Larger weights, or terms of the objective, may overflow it.
constexpr double largest_weight = 1e12;
constexpr double largest_term = 1e304;

}  // namespace rigcast::inverse
