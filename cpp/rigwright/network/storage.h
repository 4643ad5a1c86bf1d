#pragma once
#include <cstdint>

#include "rigwright/core/view.h"

namespace rigwright::network {

/// The type in which a layer's weights are stored: float32, float16 (IEEE 754 binary16), or bfloat16 (the upper half of
/// a float32). Products convert them to float32 and sum in float32.
enum class Storage { float32, float16, bfloat16 };

/// Bytes per weight.
constexpr int num_bytes(Storage storage) {
    return storage == Storage::float32 ? 4 : 2;
}

/// Converts to a 16-bit format: rounds to nearest, ties to even; infinity beyond its range. NaN stays NaN.
std::uint16_t to_float16(float x);
std::uint16_t to_bfloat16(float x);
/// Converts from a 16-bit format, exactly.
float from_float16(std::uint16_t bits);
float from_bfloat16(std::uint16_t bits);

/// A weight after conversion to a storage and back.
float rounded(Storage storage, float weight);
/// The largest |w - rounded(w)| of a matrix; infinity if a weight is beyond the format's range.
float storage_error(View<const float, 2> weight, Storage storage);
/// The 16-bit format with the smaller storage_error; float16 if they are equal; float32 if a weight is beyond both
/// ranges.
Storage choose_storage(View<const float, 2> weight);

}  // namespace rigwright::network
