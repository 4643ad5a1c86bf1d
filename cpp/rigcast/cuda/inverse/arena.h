#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

namespace rigcast::cuda {

/// Divides a piece of memory among arrays, one after another. The size of the memory is the caller's concern.
struct Arena {
    double* next;

    RIGCAST_DEVICE double* doubles(std::int64_t count) {
        double* at = next;
        next += count;
        return at;
    }
    RIGCAST_DEVICE std::int32_t* integers(std::int64_t count) {
        return reinterpret_cast<std::int32_t*>(doubles((count + 1) / 2));
    }
};

}  // namespace rigcast::cuda
