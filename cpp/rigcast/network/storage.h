#pragma once
#include <cstdint>

#include "rigcast/core/view.h"

namespace rigcast::network {

/// The type in which a layer's weights are stored: float32, float16 (IEEE 754 binary16), bfloat16 (the upper half of
/// a float32), or int16 or int8: whole numbers times the scale of a block of weights. Products convert them to float32
/// and sum in float32.
enum class Storage { float32, float16, bfloat16, int16, int8 };

/// Bytes per weight, without the scales of blocks.
constexpr int num_bytes(Storage storage) {
    return storage == Storage::float32 ? 4 : storage == Storage::int8 ? 1 : 2;
}
/// True for int16 and int8.
constexpr bool has_blocks(Storage storage) {
    return storage == Storage::int16 || storage == Storage::int8;
}

/// Converts to a 16-bit format: rounds to nearest, ties to even; infinity beyond its range. NaN stays NaN.
std::uint16_t to_float16(float x);
std::uint16_t to_bfloat16(float x);
/// Converts from a 16-bit format, exactly.
float from_float16(std::uint16_t bits);
float from_bfloat16(std::uint16_t bits);

/// The scale s of a block whose largest magnitude is `largest`: the smallest power of two with largest <= q s, where q
/// is 32,767 or 127, at least 2^-60. A product with a power of two is exact: (q s) x, q (s x) and s (q x) have the same
/// bytes. Requires: has_blocks(storage).
float block_scale(Storage storage, float largest);
/// The whole number q with the smallest |w - q scale|, ties to even.
int to_whole(float weight, float scale);
/// True if blocks can hold a matrix: all weights are finite.
bool fits_blocks(View<const float, 2> weight);

/// A weight after conversion to a storage and back; without blocks, which depend on other weights.
float rounded(Storage storage, float weight);
/// The largest |w - rounded(w)| of a matrix; infinity if a weight is beyond the format's range. Without blocks.
float storage_error(View<const float, 2> weight, Storage storage);
/// The 16-bit format with the smaller storage_error; float16 if they are equal; float32 if a weight is beyond both
/// ranges.
Storage choose_storage(View<const float, 2> weight);

}  // namespace rigcast::network
