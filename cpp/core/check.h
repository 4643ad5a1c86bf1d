#pragma once
#include <cmath>
#include <string>

#include "core/error.h"
#include "core/view.h"

namespace rigwright {

/// "(12, 3)"
template <int Rank>
std::string describe_shape(const std::array<std::int64_t, Rank>& extents) {
    std::string text = "(";
    for (int axis = 0; axis < Rank; ++axis) text += (axis == 0 ? "" : ", ") + std::to_string(extents[axis]);
    return text + (Rank == 1 ? ",)" : ")");
}

/// Throws ArgumentError if an element is NaN or infinite.
template <class T, int Rank>
void check_finite(const char* function, const char* argument, const View<T, Rank>& view) {
    for (const T& x : view) {
        if (!std::isfinite(x)) throw bad_argument(function, argument, "not finite everywhere", "finite");
    }
}

/// Throws ArgumentError if the shape differs; -1 leaves an extent open.
template <class T, int Rank>
void check_shape(const char* function, const char* argument, const View<T, Rank>& view,
                 const std::array<std::int64_t, Rank>& shape) {
    std::string expected = "(";
    bool same = true;
    for (int axis = 0; axis < Rank; ++axis) {
        same = same && (shape[axis] < 0 || shape[axis] == view.extent(axis));
        expected += (axis == 0 ? "" : ", ") + (shape[axis] < 0 ? "any" : std::to_string(shape[axis]));
    }
    if (!same) {
        throw bad_argument(function, argument, describe_shape<Rank>(view.extents()),
                           expected + (Rank == 1 ? ",)" : ")"));
    }
}

}  // namespace rigwright
