#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/inverse/rig_gram.h"
#include "rigwright/inverse/solve.h"

namespace rigwright::inverse {

/// Where each weight of a shot may be: (T, K) lower and upper bounds, equal where a weight is pinned, and (K) the shape
/// whose weight each shape copies.
struct WeightBox {
    std::vector<double> lower, upper;
    std::vector<std::int32_t> ties;
};

/// The box of checked targets, T frames: bounds, pins, ties, idle shapes at rest. Throws ArgumentError, in the name of
/// "solve", as solve does.
WeightBox make_box(const RigGram& gram, const ShotTargets& shot);

/// Weights beyond `largest_weight` and terms beyond `largest_term` may overflow the objective.
constexpr double largest_weight = 1e12, largest_term = 1e304;

}  // namespace rigwright::inverse
