#pragma once
#include <algorithm>
#include <cstdint>

#include "rigwright/core/parallel.h"

namespace rigwright::body {

/// Calls body(begin, count, threads) for blocks of at most `block` of `frames` poses. Where there are fewer
/// poses than threads, they come one after another and each may use all threads; otherwise blocks run side by
/// side with one thread each.
template <class Body>
void for_blocks(std::int64_t frames, std::int64_t block, int threads, Body&& body) {
    if (threads <= 0) threads = num_processors();
    if (frames < threads) {
        for (std::int64_t t = 0; t < frames; ++t) body(t, 1, threads);
        return;
    }
    const std::int64_t grain = std::min(block, (frames + threads - 1) / threads);
    parallel_for(frames, grain, threads,
                 [&](std::int64_t begin, std::int64_t end) { body(begin, static_cast<int>(end - begin), 1); });
}

}  // namespace rigwright::body
