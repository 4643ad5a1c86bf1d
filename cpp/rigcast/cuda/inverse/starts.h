#pragma once
#include "rigcast/core/portable.h"

namespace rigcast::cuda {

/// Where the search of a frame starts.
enum class StartKind {
    given,       // the caller's weights
    zero,        // the point of the box nearest to zero
    linear,      // the clipped solution of the linear part
    multistart,  // one of inverse::Multistart
    beyond_knot  // the best solution so far, with one variable mirrored at a knot
};

struct Start {
    StartKind kind;
    int index;  // of the multistart, or of the knot; 0 for other kinds
};

/// The starts of a frame in the order in which they are tried.
struct Starts {
    int num_multistarts;
    int num_knots;
    bool restarts;  // otherwise the given start is the only one

    RIGCAST_DEVICE int count() const { return restarts ? first_multistart + num_multistarts + num_knots : 1; }

    RIGCAST_DEVICE Start operator[](int number) const {
        if (number < first_multistart) return {static_cast<StartKind>(number), 0};
        const int multistart = number - first_multistart;
        if (multistart < num_multistarts) return {StartKind::multistart, multistart};
        return {StartKind::beyond_knot, multistart - num_multistarts};
    }

private:
    static constexpr int first_multistart = 3;  // after given, zero and linear
    static_assert(static_cast<int>(StartKind::multistart) == first_multistart);
};

}  // namespace rigcast::cuda
