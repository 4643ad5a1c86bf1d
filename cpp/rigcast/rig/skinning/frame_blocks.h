#pragma once
#include <algorithm>
#include <cstdint>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace rigcast::rig {

/// Evaluates frames in two phases. prepare(t, state) runs once per frame t and writes `state_size` floats into
/// uninitialized memory. Then skin(t, state, first, last) runs once per block of vertices of that frame, from vertex
/// `first` to before `last`. The blocks of a frame run in parallel, too, so that even a single frame keeps all threads
/// busy. Which calls are made does not depend on the number of threads; `threads` is 0 for all processors.
template <class Prepare, class Skin>
void for_frame_blocks(std::int64_t num_frames, std::int64_t num_vertices, std::size_t state_size, int threads,
                      const Prepare& prepare, const Skin& skin) {
    // Larger batches need more memory for states; smaller ones have more barriers between threads. Blocks of fewer
    // vertices balance the threads better and cost more calls. Both were chosen, not tuned.
    constexpr std::int64_t frames_per_batch = 64;
    constexpr std::int64_t vertices_per_block = 2048;
    const std::int64_t blocks = (num_vertices + vertices_per_block - 1) / vertices_per_block;
    const std::size_t stride = Scratch::padded(state_size);
    for (std::int64_t first_frame = 0; first_frame < num_frames; first_frame += frames_per_batch) {
        const std::int64_t frames = std::min(frames_per_batch, num_frames - first_frame);
        const Scratch::Lease<float> memory(stride * static_cast<std::size_t>(frames));
        float* states = memory.data();
        parallel_for(frames, 1, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) prepare(first_frame + t, states + stride * t);
        });
        parallel_for(frames * blocks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t t = i / blocks;
                const std::int64_t first = i % blocks * vertices_per_block;
                skin(first_frame + t, states + stride * t, first, std::min(first + vertices_per_block, num_vertices));
            }
        });
    }
}

}  // namespace rigcast::rig
