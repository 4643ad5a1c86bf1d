#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "bindings/c/objects.h"
#include "rigcast/core/check.h"

/// What all functions of the C library share: exceptions become a status and a text, arrays are checked.
namespace rigcast::c {

/// Keeps the text of the exception that is handled, for rigcast_error, and returns its status. The text begins with the
/// given function of the library, in place of the function of the engine that the exception names.
rigcast_status status_of_exception(const char* function) noexcept;

/// Runs the body of the function that calls this; no exception leaves it.
template <class Body>
rigcast_status guarded(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
    try {
        body();
        return RIGCAST_OK;
    } catch (...) {
        return status_of_exception(function);
    }
}

/// The given array as a view of a shape. Throws ArgumentError, which names `function` and `argument`, if its count is
/// not that of the shape, an extent is negative, the count overflows, or it is NULL.
template <class T, int Rank>
View<T, Rank> array(const char* function, const char* argument, T* data, std::int64_t count,
                    const std::array<std::int64_t, Rank>& shape) {
    std::int64_t expected = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0) throw bad_argument(function, argument, std::to_string(extent) + " long", "0 or more");
        if (extent > 0 && expected > std::numeric_limits<std::int64_t>::max() / extent) {
            throw bad_argument(function, argument, "of shape " + describe_shape<Rank>(shape),
                               "of at most 2^63 - 1 numbers");
        }
        expected *= extent;
    }
    if (count != expected) {
        throw bad_argument(function, argument, std::to_string(count) + " numbers long",
                           std::to_string(expected) + ", of shape " + describe_shape<Rank>(shape));
    }
    if (data == nullptr && count > 0) throw bad_argument(function, argument, "NULL", "an array");
    return {data, shape};
}

/// The same for an array of a structure.
template <int Rank, class Given>
auto needed_array(const char* function, const char* argument, const Given& given,
                  const std::array<std::int64_t, Rank>& shape) {
    return array<std::remove_pointer_t<decltype(given.data)>, Rank>(function, argument, given.data, given.count, shape);
}

/// Returns true unless an array is {NULL, 0}.
template <class Given>
bool is_given(const Given& given) {
    return given.data != nullptr || given.count != 0;
}

/// The same as needed_array; empty if it is not given.
template <int Rank, class Given>
auto given_array(const char* function, const char* argument, const Given& given,
                 const std::array<std::int64_t, Rank>& shape) {
    using Array = decltype(needed_array<Rank>(function, argument, given, shape));
    return is_given(given) ? needed_array<Rank>(function, argument, given, shape) : Array();
}

/// Copies numbers into an array of a result, which has as many, or none if it was not given.
template <class To, int Rank, class T>
void write_given(View<To, Rank> to, const std::vector<T>& numbers) {
    if (to.size() == 0) return;
    std::transform(numbers.begin(), numbers.end(), to.begin(), [](const T& x) { return static_cast<To>(x); });
}

/// A setting of a structure; `otherwise` if it is 0. Throws ArgumentError if it is negative or not finite.
template <class T>
T setting(const char* function, const char* argument, T given, T otherwise) {
    if (given == 0) return otherwise;
    if (!(given > 0 && given <= std::numeric_limits<T>::max())) {
        throw bad_argument(function, argument, std::to_string(given), "a finite number above 0, or 0 for the default");
    }
    return given;
}

/// Bytes of the first version of a structure, up to its last field. They stay when the structure grows, so that
/// programs that know a shorter one are served.
template <class T>
inline constexpr std::size_t first_size = 0;
template <>
inline constexpr std::size_t first_size<rigcast_blendshapes> = offsetof(rigcast_blendshapes, up_axis) + sizeof(void*);
template <>
inline constexpr std::size_t first_size<rigcast_description> = offsetof(rigcast_description, metadata) + sizeof(void*);
template <>
inline constexpr std::size_t first_size<rigcast_shot> = offsetof(rigcast_shot, frame_by_frame) + sizeof(std::int32_t);
template <>
inline constexpr std::size_t first_size<rigcast_shot_result> = offsetof(rigcast_shot_result, converged) +
                                                               sizeof(rigcast_integers_out);
template <>
inline constexpr std::size_t first_size<rigcast_drag_task> = offsetof(rigcast_drag_task, max_iterations) +
                                                             sizeof(std::int64_t);
template <>
inline constexpr std::size_t first_size<rigcast_drag_result> = offsetof(rigcast_drag_result, converged) +
                                                               sizeof(std::int32_t);
template <>
inline constexpr std::size_t first_size<rigcast_synthesis> = offsetof(rigcast_synthesis, metadata) + sizeof(void*);
template <>
inline constexpr std::size_t first_size<rigcast_player_settings> = offsetof(rigcast_player_settings, kept_seconds) +
                                                                   sizeof(std::int64_t);
template <>
inline constexpr std::size_t first_size<rigcast_command> = offsetof(rigcast_command, frame) + sizeof(std::int64_t);

/// No structure of any version is larger: such a size was never set.
inline constexpr std::size_t largest_size = 4096;

/// The size of a structure of the caller, which may be that of an earlier or later version. Throws ArgumentError if it
/// is NULL, smaller than in the first version or above largest_size.
template <class T>
std::size_t size_of(const char* function, const char* argument, const T* given) {
    static_assert(first_size<T> >= sizeof(std::size_t) && first_size<T> <= sizeof(T));
    if (given == nullptr) throw bad_argument(function, argument, "NULL", "a structure");
    if (given->size < first_size<T> || given->size > largest_size || given->size % alignof(T) != 0) {
        throw bad_argument(function, std::string(argument) + "->size", std::to_string(given->size),
                           "sizeof the structure, " + std::to_string(sizeof(T)) + " in this library");
    }
    return given->size;
}

/// A copy of a structure of the caller; fields beyond its size are 0. Throws ArgumentError as size_of, or if a field
/// that this library does not know is not 0: a wish or an array of a later version would be ignored.
template <class T>
T structure(const char* function, const char* argument, const T* given) {
    const std::size_t size = size_of(function, argument, given);
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char x) { return x != 0; })) {
        throw bad_argument(function, argument, "given fields that this library does not know",
                           "0 after byte " + std::to_string(sizeof(T)) + ", or used with a later library");
    }
    T copy{};
    std::memcpy(&copy, given, std::min(size, sizeof(T)));
    return copy;
}

}  // namespace rigcast::c
