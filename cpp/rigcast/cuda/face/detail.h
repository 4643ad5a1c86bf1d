#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

namespace rigcast::cuda {

/// The factors of refinement segments in the frames of a batch: FaceMaps::evaluate_detail.
struct Detail {
    const float* factors = nullptr;  // null: 1 everywhere
    std::int64_t pitch = 0;          // from one frame to the next; 0: all frames alike

    /// The factor of a segment; a coarse one has refinement -1.
    RIGCAST_DEVICE float of(std::int64_t frame, std::int32_t refinement) const {
        return factors == nullptr || refinement < 0 ? 1.0f : factors[frame * pitch + refinement];
    }
};

}  // namespace rigcast::cuda
