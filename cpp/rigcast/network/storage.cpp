#include "rigcast/network/storage.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/bit_cast.h"

namespace rigcast::network {

std::uint16_t to_float16(float x) {
    const std::uint32_t bits = bit_cast<std::uint32_t>(x);
    const std::uint16_t sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const float magnitude = std::abs(x);
    if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7e00u);
    if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00u);  // would round to 2^16
    if (magnitude < 0x1p-14f) {  // subnormal: adding 0.5 rounds to a multiple of 2^-24
        const float shifted = magnitude + 0.5f;
        return static_cast<std::uint16_t>(sign | (bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
    const std::uint32_t exponent_and_digits = (bits & 0x7fffffffu) - (112u << 23);
    const std::uint32_t odd = exponent_and_digits >> 13 & 1u;
    return static_cast<std::uint16_t>(sign | (exponent_and_digits + 0xfffu + odd) >> 13);
}

std::uint16_t to_bfloat16(float x) {
    const std::uint32_t bits = bit_cast<std::uint32_t>(x);
    if (std::isnan(x)) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float from_float16(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = bits >> 10 & 0x1fu;
    const std::uint32_t digits = bits & 0x3ffu;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(digits) * 0x1p-24f;
        return bit_cast<float>(sign | bit_cast<std::uint32_t>(magnitude));
    }
    const std::uint32_t wide = exponent == 0x1fu ? 0xffu : exponent + 112u;
    return bit_cast<float>(sign | wide << 23 | digits << 13);
}

float from_bfloat16(std::uint16_t bits) {
    return bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float block_scale(Storage storage, float largest) {
    constexpr int smallest_exponent = -60;
    if (!(largest > 0.0f)) return 1.0f;
    const double most = storage == Storage::int16 ? 32767.0 : 127.0;
    int exponent = 0;
    const double part = std::frexp(static_cast<double>(largest) / most, &exponent);  // 0.5 <= part < 1
    if (part == 0.5) --exponent;
    return std::ldexp(1.0f, std::max(exponent, smallest_exponent));
}

int to_whole(float weight, float scale) {
    return static_cast<int>(std::nearbyint(weight / scale));
}

bool fits_blocks(View<const float, 2> weight) {
    return std::all_of(weight.begin(), weight.end(), [](float w) { return std::isfinite(w); });
}

float rounded(Storage storage, float weight) {
    switch (storage) {
        case Storage::float32:
            return weight;
        case Storage::float16:
            return from_float16(to_float16(weight));
        case Storage::bfloat16:
            return from_bfloat16(to_bfloat16(weight));
        case Storage::int16:
        case Storage::int8:
            break;  // see the header
    }
    return weight;
}

float storage_error(View<const float, 2> weight, Storage storage) {
    float largest = 0.0f;
    for (const float w : weight) largest = std::max(largest, std::abs(w - rounded(storage, w)));
    return largest;
}

Storage choose_storage(View<const float, 2> weight) {
    const float float16_error = storage_error(weight, Storage::float16);
    const float bfloat16_error = storage_error(weight, Storage::bfloat16);
    if (std::isinf(float16_error) && std::isinf(bfloat16_error)) return Storage::float32;
    return float16_error <= bfloat16_error ? Storage::float16 : Storage::bfloat16;
}

}  // namespace rigcast::network
