#pragma once
#include <algorithm>
#include <cstdint>

#include "rigcast/core/parallel.h"

namespace rigcast::network {

/// Calls body(first, count, threads) for batches [first, first + count) of at most `frames_per_batch` frames. If there
/// are fewer frames than threads, frames come one after another and each may use all threads; otherwise batches run in
/// parallel with one thread each.
template <class Body>
void for_frame_batches(std::int64_t frames, std::int64_t frames_per_batch, int threads, Body&& body) {
    if (threads <= 0) threads = num_processors();
    if (frames < threads) {
        for (std::int64_t t = 0; t < frames; ++t) body(t, 1, threads);
        return;
    }
    const std::int64_t grain = std::min(frames_per_batch, (frames + threads - 1) / threads);
    parallel_for(frames, grain, threads,
                 [&](std::int64_t begin, std::int64_t end) { body(begin, static_cast<int>(end - begin), 1); });
}

}  // namespace rigcast::network
