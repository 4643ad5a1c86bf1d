#include "rigcast/mesh/components.h"

#include <algorithm>
#include <numeric>

namespace rigcast::mesh {
namespace {

std::int32_t root(std::vector<std::int32_t>& parent, std::int32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

}  // namespace

Components::Components(const std::vector<Triangle>& triangles, std::int64_t num_vertices) : of(num_vertices) {
    std::vector<std::int32_t> parent(num_vertices);
    std::iota(parent.begin(), parent.end(), 0);
    for (const Triangle& triangle : triangles) {
        for (int c = 1; c < 3; ++c) {
            const std::int32_t a = root(parent, triangle.vertex[0]);
            const std::int32_t b = root(parent, triangle.vertex[c]);
            parent[std::max(a, b)] = std::min(a, b);  // a root is its component's first vertex
        }
    }
    for (std::int32_t v = 0; v < num_vertices; ++v) {
        const std::int32_t first = root(parent, v);
        of[v] = first == v ? count++ : of[first];
    }
}

}  // namespace rigcast::mesh
