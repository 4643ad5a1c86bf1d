#include <algorithm>
#include <vector>

#include "rigcast/rig/deformer.h"

namespace rigcast::rig {
namespace {

/// Directions per jvp or vjp call. More give all threads work and let models batch frames; fewer need less memory.
/// Chosen, not tuned.
constexpr std::int64_t directions_per_call = 32;

/// Calls body(t, first, count, repeated) for batches of `count` of `num_directions` directions, at each pose t;
/// `repeated` (count, C) contains the pose `count` times.
template <class Body>
void for_directions(View<const float, 2> poses, std::int64_t num_directions, const Body& body) {
    const std::int64_t width = poses.extent(1);
    std::vector<float> repeated(static_cast<std::size_t>(directions_per_call * width));
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        for (std::int64_t i = 0; i < directions_per_call; ++i) {
            std::copy_n(poses.row(t), width, repeated.data() + i * width);
        }
        for (std::int64_t first = 0; first < num_directions; first += directions_per_call) {
            const std::int64_t count = std::min(directions_per_call, num_directions - first);
            body(t, first, count, View<const float, 2>(repeated.data(), {count, width}));
        }
    }
}

}  // namespace

/// One jvp per column.
void Deformer::jacobian_by_columns(View<const float, 2> poses, View<float, 3> jacobians, int threads) const {
    const std::int64_t coordinates = jacobians.extent(1);
    const std::int64_t columns = jacobians.extent(2);
    std::vector<float> tangents(static_cast<std::size_t>(directions_per_call * columns));
    std::vector<float> derivatives(static_cast<std::size_t>(directions_per_call * coordinates));
    for_directions(poses, columns, [&](std::int64_t t, std::int64_t first, std::int64_t count, auto repeated) {
        std::fill(tangents.begin(), tangents.end(), 0.0f);
        for (std::int64_t i = 0; i < count; ++i) tangents[i * columns + first + i] = 1.0f;
        do_jvp(repeated, {tangents.data(), {count, columns}}, {derivatives.data(), {count, coordinates / 3, 3}},
               threads);
        for (std::int64_t row = 0; row < coordinates; ++row) {
            for (std::int64_t i = 0; i < count; ++i) {
                jacobians(t, row, first + i) = derivatives[i * coordinates + row];
            }
        }
    });
}

/// One vjp per coordinate of a vertex.
void Deformer::jacobian_by_rows(View<const float, 2> poses, View<float, 3> jacobians, int threads) const {
    const std::int64_t coordinates = jacobians.extent(1);
    const std::int64_t columns = jacobians.extent(2);
    std::vector<float> cotangents(static_cast<std::size_t>(directions_per_call * coordinates));
    for_directions(poses, coordinates, [&](std::int64_t t, std::int64_t first, std::int64_t count, auto repeated) {
        std::fill(cotangents.begin(), cotangents.end(), 0.0f);
        for (std::int64_t i = 0; i < count; ++i) cotangents[i * coordinates + first + i] = 1.0f;
        do_vjp(repeated, {cotangents.data(), {count, coordinates / 3, 3}},
               {jacobians.row(t) + first * columns, {count, columns}}, threads);
    });
}

}  // namespace rigcast::rig
