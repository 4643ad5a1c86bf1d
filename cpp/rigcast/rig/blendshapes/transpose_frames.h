#pragma once
#include <cstdint>

namespace rigcast::rig {

/// Transposes sums (coordinates, sums_stride) into frames: vertices[t * frame_stride + i] = sums[i * sums_stride + t] +
/// 0 for i < coordinates and t < frames. Adding 0 leaves no negative zero. Requires: `sums` is aligned to 64 bytes and
/// sums_stride is a multiple of 4, at least `frames`; `vertices` needs no alignment. With `non_temporal`, whole vectors
/// bypass the caches (non-temporal stores): use it if the output exceeds the last-level cache. Memory order is restored
/// before the function returns.
void transpose_frames(const float* sums, std::int64_t sums_stride, std::int64_t coordinates, std::int64_t frames,
                      float* vertices, std::int64_t frame_stride, bool non_temporal);

/// Writes the same values to all frames: vertices[t * frame_stride + i] = values[i] + 0 for i < count and t < frames.
/// `non_temporal` as above.
void repeat_frame(const float* values, std::int64_t count, std::int64_t frames, float* vertices,
                  std::int64_t frame_stride, bool non_temporal);

}  // namespace rigcast::rig
