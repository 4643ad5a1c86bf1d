#pragma once
#include "rigcast/core/view.h"

namespace rigcast::metrics {

/// Writes the distances (T, V) |truth_tk - approximation_tk| between the vertices (T, V, 3) of two animations of a
/// mesh. Throws ArgumentError if shapes do not match or a value is not finite.
void vertex_distances(View<const float, 3> truth, View<const float, 3> approximation, View<float, 2> distances,
                      int threads);

}  // namespace rigcast::metrics
