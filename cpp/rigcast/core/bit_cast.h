#pragma once

namespace rigcast {

/// The bits of a value as another type: std::bit_cast, which the C++ library of Emscripten 3.1 lacks.
template <class To, class From>
constexpr To bit_cast(const From& value) noexcept {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, value);
}

}  // namespace rigcast
