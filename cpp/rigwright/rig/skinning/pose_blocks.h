#pragma once
#include <algorithm>
#include <cstdint>

#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"

namespace rigwright::rig {

/// Calls prepare(t, state) once for every pose and then skin(t, state, first, last) for blocks of its vertices,
/// spread over threads: one pose keeps all of them busy as well as many do. `state` are `size` floats of the
/// pose.
template <class Prepare, class Skin>
void for_pose_blocks(std::int64_t num_poses, std::int64_t num_vertices, std::size_t size, int threads,
                     const Prepare& prepare, const Skin& skin) {
    constexpr std::int64_t together = 64, block = 2048;
    const std::int64_t blocks = (num_vertices + block - 1) / block;
    const std::size_t stride = Scratch::padded(size);
    for (std::int64_t start = 0; start < num_poses; start += together) {
        const std::int64_t count = std::min(together, num_poses - start);
        const Scratch::Lease<float> memory(stride * static_cast<std::size_t>(count));
        float* states = memory.data();
        parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) prepare(start + t, states + stride * t);
        });
        parallel_for(count * blocks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t piece = begin; piece < end; ++piece) {
                const std::int64_t t = piece / blocks, first = piece % blocks * block;
                skin(start + t, states + stride * t, first, std::min(first + block, num_vertices));
            }
        });
    }
}

}  // namespace rigwright::rig
