#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/mesh/triangles.h"

namespace rigcast::mesh {

/// The connected components of a mesh: vertices connected by the given triangles. A vertex in no triangle is a
/// component of its own.
struct Components {
    Components(const std::vector<Triangle>& triangles, std::int64_t num_vertices);
    std::int32_t count = 0;
    std::vector<std::int32_t> of;  // (V) the component of each vertex, numbered by their first vertices
};

}  // namespace rigcast::mesh
