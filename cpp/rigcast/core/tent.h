#pragma once
#include "rigcast/core/portable.h"

namespace rigcast {

/// The activation of an in-between: piecewise linear, 0 up to x1, 1 at x2, 0 from x3 on. Requires x1 < x2 < x3.
template <class Real>
struct Tent {
    Real x1 = 0;
    Real x2 = 0;
    Real x3 = 0;

    RIGCAST_DEVICE Real value(Real x) const {
        if (x == x2) return 1;
        if (x <= x1 || x >= x3) return 0;
        return x < x2 ? (x - x1) / (x2 - x1) : (x3 - x) / (x3 - x2);
    }
    /// The right-hand derivative at x if side > 0, else the left-hand one; they differ at x1, x2 and x3.
    RIGCAST_DEVICE Real slope(Real x, int side) const {
        const bool after_1 = side > 0 ? x1 <= x : x1 < x;
        const bool after_2 = side > 0 ? x2 <= x : x2 < x;
        const bool before_3 = side > 0 ? x < x3 : x <= x3;
        if (after_1 && !after_2) return 1 / (x2 - x1);
        return after_2 && before_3 ? -1 / (x3 - x2) : 0;
    }
};

}  // namespace rigcast
