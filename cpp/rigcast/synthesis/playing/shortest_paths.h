#pragma once
#include "rigcast/core/view.h"

namespace rigcast::synthesis {

/// Shortest paths from all points (N, D) to a target (D) in the complete graph of points and target, whose edges cost
/// |x_i - x_j|^power (Bailey 2020, section 5.5). Writes the cost (N) of each point's path and the next point on it
/// (N), -1 where that is the target. Method: Dijkstra (1959) without a queue, O(N^2 D). Throws ArgumentError if shapes
/// do not match, a number is not finite, or power is not positive.
void shortest_paths(View<const double, 2> points, View<const double, 1> target, double power, View<double, 1> cost,
                    View<std::int32_t, 1> next);

}  // namespace rigcast::synthesis
