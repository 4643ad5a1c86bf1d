#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::transfer {

/// Finds contacts, pairs of vertices of surfaces that meet, such as lips and lids, in poses (P, V, 3), the first of
/// which is the neutral.
///
/// A vertex is paired with the vertex that comes nearest to it in the neutral or in a pose that moves it, in units of
/// the neutral's mean edge length at the vertex, among those that
///   - are within `max_distance` of these units and have an opposed normal in that pose,
///   - are across a gap outside the body in the neutral: opposite sides of something thin are no contact,
///   - belong to the same component and are more than three edges away along the surface.
/// Returns each pair once, the lower vertex first, ascending; the same for any number of threads. The caller checks the
/// arguments.
std::vector<std::array<std::int32_t, 2>> find_contacts(View<const float, 3> poses, View<const std::int32_t, 2> faces,
                                                       double max_distance, int threads);

}  // namespace rigcast::transfer
