#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::transfer {

/// Pairs of vertices of surfaces that meet: lips, lids. In one of the poses (P, V, 3), the first of them the neutral,
/// the two are within `reach` mean edge lengths (of the neutral, at the vertex) and their normals are opposed; in the
/// neutral each lies on the other's outer side, so that the two sides of something thin are no contact. Both belong to
/// one component and are more than three edges apart. Every vertex is paired with the one that comes nearest. Each
/// pair once, the lower vertex first, ascending. The same for any number of threads. Arguments are checked by the
/// caller.
std::vector<std::array<std::int32_t, 2>> find_contacts(View<const float, 3> poses, View<const std::int32_t, 2> faces,
                                                       double reach, int threads);

}  // namespace rigwright::transfer
