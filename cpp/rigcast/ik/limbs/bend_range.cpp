#include "rigcast/ik/limbs/bend_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rigcast::ik {
namespace {

/// The length |u + l| of two bones, from the cosine of the angle between them.
double third_side(double u, double l, double cosine) {
    return std::sqrt(std::max(0.0, u * u + l * l + 2.0 * u * l * cosine));
}

double cosine_of(double degrees) {
    return std::cos(degrees * std::numbers::pi / 180.0);
}

}  // namespace

BendRange::BendRange(double least, double most) : signed_(least < 0.0 || most > 180.0) {
    // Half turns [180 k, 180 (k + 1)]: even k bend about the hinge by 0 to 180, odd k the other way by 180 to 0.
    for (int k = -2; k < 2; ++k) {
        const double begin = std::max(least, 180.0 * k);
        const double end = std::min(most, 180.0 * (k + 1));
        if (begin > end || (begin == end && least < most)) continue;  // an end belongs to the neighbor, too
        const double a = k % 2 == 0 ? begin - 180.0 * k : 180.0 * (k + 1) - end;
        const double b = k % 2 == 0 ? end - 180.0 * k : 180.0 * (k + 1) - begin;
        intervals_.push_back({k % 2 == 0 ? 1.0 : -1.0, cosine_of(b), cosine_of(a)});
    }
}

BendRange::Reach BendRange::reach(double u, double l) const {
    Reach found{std::numeric_limits<double>::infinity(), 0.0};
    for (const Interval& interval : intervals_) {
        found.shortest = std::min(found.shortest, third_side(u, l, interval.cosine_near));
        found.longest = std::max(found.longest, third_side(u, l, interval.cosine_far));
    }
    return found;
}

BendRange::Choice BendRange::nearest(double u, double l, double distance, double side) const {
    Choice best{distance, side};
    double least = std::numeric_limits<double>::infinity();
    for (const Interval& interval : intervals_) {
        const double allowed =
            std::clamp(distance, third_side(u, l, interval.cosine_near), third_side(u, l, interval.cosine_far));
        const double away = std::abs(allowed - distance);
        if (away < least || (away == least && interval.side == side)) {
            best = {allowed, interval.side};
            least = away;
        }
    }
    return best;
}

}  // namespace rigcast::ik
