#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/mesh/triangles.h"

namespace rigwright::mesh {

/// The connected pieces of a mesh: vertices joined by the triangles given. A vertex in none is a component by itself.
struct Components {
    Components(const std::vector<Triangle>& triangles, std::int64_t num_vertices);
    std::int32_t count = 0;
    std::vector<std::int32_t> of;  // (V), numbered in the order of their first vertices
};

}  // namespace rigwright::mesh
