#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/core/view.h"

namespace rigcast {

/// A number as text, of at most so many significant digits: "0.25", "1e-07".
inline std::string describe_number(double value, int digits = 6) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return text.data();
}

/// A shape as text: "(12, 3)". A negative extent reads "any".
template <int Rank>
std::string describe_shape(const std::array<std::int64_t, Rank>& extents) {
    std::string text = "(";
    for (int axis = 0; axis < Rank; ++axis) {
        if (axis > 0) text += ", ";
        text += extents[axis] < 0 ? std::string("any") : std::to_string(extents[axis]);
    }
    text += Rank == 1 ? ",)" : ")";
    return text;
}

/// The multi-index of the element with row-major index `flat` as text: "(3, 0, 2)", or "3" if the rank is 1.
template <class T, int Rank>
std::string describe_place(const View<T, Rank>& view, std::int64_t flat) {
    std::array<std::int64_t, Rank> index;
    for (int axis = Rank - 1; axis >= 0; --axis) {
        index[axis] = flat % view.extent(axis);
        flat /= view.extent(axis);
    }
    return Rank == 1 ? std::to_string(index[0]) : describe_shape<Rank>(index);
}

/// Throws ArgumentError with the index of the first element that is NaN or infinite, if there is one.
template <class T, int Rank>
void check_finite(const char* function, const char* argument, const View<T, Rank>& view) {
    for (const T& x : view) {
        if (std::isfinite(x)) continue;
        const std::string what = std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
        const std::string index = describe_place(view, &x - view.begin());
        throw bad_argument(function, argument, "not finite everywhere (" + what + " at " + index + ")", "finite");
    }
}

/// Throws ArgumentError if the view does not have the shape `shape`, in which -1 stands for any extent.
template <class T, int Rank>
void check_shape(const char* function, const char* argument, const View<T, Rank>& view,
                 const std::array<std::int64_t, Rank>& shape) {
    for (int axis = 0; axis < Rank; ++axis) {
        if (shape[axis] >= 0 && shape[axis] != view.extent(axis)) {
            throw bad_argument(function, argument, describe_shape<Rank>(view.extents()), describe_shape<Rank>(shape));
        }
    }
}

/// Throws ArgumentError if `threads` is negative; 0 stands for all processors.
inline void check_threads(const char* function, int threads) {
    if (threads < 0) throw bad_argument(function, "threads", std::to_string(threads), "0 (all processors) or more");
}

}  // namespace rigcast
