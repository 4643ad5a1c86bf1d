#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"

namespace rigwright::cuda {

/// Divides a piece of memory among arrays, one after another. The size of the memory is the caller's concern.
struct Arena {
    double* next;

    RIGWRIGHT_DEVICE double* doubles(std::int64_t count) {
        double* at = next;
        next += count;
        return at;
    }
    RIGWRIGHT_DEVICE std::int32_t* integers(std::int64_t count) {
        return reinterpret_cast<std::int32_t*>(doubles((count + 1) / 2));
    }
};

}  // namespace rigwright::cuda
