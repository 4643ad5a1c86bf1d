#include "rigcast/mesh/packed_vertices.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "rigcast/core/check.h"

namespace rigcast::mesh {
namespace {

constexpr const char* pack_vertices_name = "pack_vertices";

PackedBox box_of(View<const float, 2> points) {
    if (points.extent(0) == 0) return {};
    const float* p = points.row(0);
    PackedBox box{{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    for (std::int64_t k = 1; k < points.extent(0); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            box.low[axis] = std::min(box.low[axis], points(k, axis));
            box.high[axis] = std::max(box.high[axis], points(k, axis));
        }
    }
    return box;
}

std::int16_t signed_share(float x) {
    return static_cast<std::int16_t>(std::lrintf(32767.0f * std::clamp(x, -1.0f, 1.0f)));
}

/// The unit sphere on a square: projected on the octahedron |x| + |y| + |z| = 1, its lower half folded outwards.
std::array<std::int16_t, 2> octahedral(const float* normal) {
    const float sum = std::abs(normal[0]) + std::abs(normal[1]) + std::abs(normal[2]);
    if (!(sum > 0.0f)) return {0, 0};
    const float x = normal[0] / sum;
    const float y = normal[1] / sum;
    if (normal[2] >= 0.0f) return {signed_share(x), signed_share(y)};
    return {signed_share(std::copysign(1.0f - std::abs(y), x)), signed_share(std::copysign(1.0f - std::abs(x), y))};
}

}  // namespace

PackedBox pack_vertices(View<const float, 2> points, View<const float, 2> normals, View<const std::uint8_t, 1> marks,
                        View<std::uint8_t, 2> packed) {
    const std::int64_t count = points.extent(0);
    check_shape<const float, 2>(pack_vertices_name, "points", points, {-1, 3});
    check_shape<const float, 2>(pack_vertices_name, "normals", normals, {count, 3});
    check_shape<const std::uint8_t, 1>(pack_vertices_name, "marks", marks, {count});
    check_shape<std::uint8_t, 2>(pack_vertices_name, "packed", packed, {count, bytes_per_packed_vertex});
    check_finite(pack_vertices_name, "points", points);
    const PackedBox box = box_of(points);
    std::array<float, 3> scale;
    for (int axis = 0; axis < 3; ++axis) {
        const float extent = box.high[axis] - box.low[axis];
        scale[axis] = extent > 0.0f ? 65535.0f / extent : 0.0f;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        std::array<std::uint16_t, 3> position;
        for (int axis = 0; axis < 3; ++axis) {
            const float share = scale[axis] * (points(k, axis) - box.low[axis]);
            position[axis] = static_cast<std::uint16_t>(std::lrintf(std::min(share, 65535.0f)));
        }
        const std::array<std::int16_t, 2> normal = octahedral(normals.row(k));
        std::uint8_t* bytes = packed.row(k);
        std::memcpy(bytes, position.data(), 6);
        bytes[6] = marks(k);
        bytes[7] = 0;
        std::memcpy(bytes + 8, normal.data(), 4);
    }
    return box;
}

}  // namespace rigcast::mesh
