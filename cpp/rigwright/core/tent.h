#pragma once
#include "rigwright/core/portable.h"

namespace rigwright {

/// The function that is 0 at x1, 1 at x2 and 0 at x3, straight in between and 0 outside: the weight of an in-between.
template <class Real>
struct Tent {
    Real x1 = 0, x2 = 0, x3 = 0;

    RIGWRIGHT_DEVICE Real value(Real x) const {
        if (x == x2) return 1;
        if (x <= x1 || x >= x3) return 0;
        return x < x2 ? (x - x1) / (x2 - x1) : (x3 - x) / (x3 - x2);
    }
    /// Slope of the piece to the right (side > 0) or left of x; the two differ at x1, x2 and x3.
    RIGWRIGHT_DEVICE Real slope(Real x, int side) const {
        const bool after_1 = side > 0 ? x1 <= x : x1 < x;
        const bool after_2 = side > 0 ? x2 <= x : x2 < x;
        const bool before_3 = side > 0 ? x < x3 : x <= x3;
        if (after_1 && !after_2) return 1 / (x2 - x1);
        return after_2 && before_3 ? -1 / (x3 - x2) : 0;
    }
};

}  // namespace rigwright
