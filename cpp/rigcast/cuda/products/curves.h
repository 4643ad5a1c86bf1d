#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

namespace rigcast::cuda {

/// Frames of animation curves whose keys are on the device: poses(t) = (1 - s) keys(i) + s keys(i + 1), with i = key[t]
/// and s = part[t]. If s is 0, keys(i + 1) is not read.
struct PlayedFrames {
    const float* keys;        // on the device (F, C), of all clips one after another
    const std::int32_t* key;  // on the host (T)
    const float* part;        // on the host (T), 0 to 1
    std::int64_t count;       // T
};

/// An element kernel that writes the poses of played frames.
struct CurvePoses {
    const float* keys;  // (F, width)
    std::int64_t width;
    const std::int32_t* key;  // (T)
    const float* part;        // (T)
    float* poses;             // (T, width)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t column) const {
        const float* at = keys + std::int64_t{key[frame]} * width + column;
        const float s = part[frame];
        poses[frame * width + column] = s > 0.0f ? at[0] + s * (at[width] - at[0]) : at[0];
    }
};

}  // namespace rigcast::cuda
