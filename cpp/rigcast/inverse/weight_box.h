#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/problem.h"

namespace rigcast::inverse {

/// The feasible weights of a shot, T frames of K shapes.
struct WeightBox {
    std::int64_t num_frames;
    std::int64_t num_shapes;
    std::vector<std::int32_t> ties;  // (K): the shape whose weight shape k copies, k itself if it is not tied
    std::vector<double> lower = {};  // (T, K)
    std::vector<double> upper = {};  // (T, K): equal to `lower` for pinned weights
};

/// Makes the box of a shot as Problem describes it. Throws ArgumentError as Problem does.
WeightBox make_box(const RigGram& gram, const ShotTargets& shot);

/// Pins shapes (K) that are 1 at the point of their box nearest to 0, unless they are tied to one that is 0.
void rest(WeightBox& box, std::span<const char> shapes);

/// A start (T, K) with pinned weights at their pins and tied ones equal. Throws ArgumentError on another shape, and on
/// free weights outside the box.
std::vector<double> start_inside(const WeightBox& box, View<const double, 2> init);

}  // namespace rigcast::inverse
