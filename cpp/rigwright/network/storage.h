#pragma once
#include <cstdint>

#include "rigwright/core/view.h"

namespace rigwright::network {

/// How the weights of a layer are kept: as float32, in IEEE 754 binary16, or in bfloat16 (the upper half of a float32).
/// Products widen them to float32 and add in float32.
enum class Storage { float32, float16, bfloat16 };

constexpr int num_bytes(Storage storage) {
    return storage == Storage::float32 ? 4 : 2;
}

/// The nearest number of a 16-bit format, to even bits at a tie; infinite beyond its range. NaN stays NaN.
std::uint16_t to_float16(float x);
std::uint16_t to_bfloat16(float x);
/// Exact.
float from_float16(std::uint16_t bits);
float from_bfloat16(std::uint16_t bits);

/// `weight` as a format keeps it.
float rounded(Storage storage, float weight);
/// The largest |w - rounded(w)| of a matrix; infinite if a weight is beyond the format's range.
float storage_error(View<const float, 2> weight, Storage storage);
/// The 16-bit format with the smaller error, float16 if they are equal; float32 if a weight is beyond both.
Storage choose_storage(View<const float, 2> weight);

}  // namespace rigwright::network
