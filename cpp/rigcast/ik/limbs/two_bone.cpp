#include "rigcast/ik/limbs/two_bone.h"

#include <atomic>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"

namespace rigcast::ik {
namespace {

constexpr const char* function = "two_bone";
constexpr std::int64_t limbs_per_task = 4096;  // not sensitive: a task is far longer than its start

/// Throws if the first extent is neither 1 nor `count`, or another one is not 3.
template <int Rank>
void check_rows(const char* argument, const View<const double, Rank>& view, std::int64_t count) {
    bool fits = view.extent(0) == 1 || view.extent(0) == count;
    for (int axis = 1; axis < Rank; ++axis) fits = fits && view.extent(axis) == 3;
    if (fits) return;
    const std::string number = std::to_string(count);
    throw bad_argument(function, argument, describe_shape<Rank>(view.extents()),
                       Rank == 1 ? "(" + number + ",)" : "(" + number + ", 3)");
}

/// Throws for the first number that is not allowed.
template <int Rank>
void check_numbers(const char* argument, const View<const double, Rank>& view, double lowest) {
    check_finite(function, argument, view);
    for (const double& x : view) {
        if (x >= lowest && x <= largest_number) continue;
        throw bad_argument(function, argument, std::to_string(x) + " at " + describe_place(view, &x - view.begin()),
                           lowest == 0.0 ? "from 0 to 1e300" : "from -1e300 to 1e300");
    }
}

}  // namespace

void two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, int threads) {
    const std::int64_t count = poses.flags.extent(0);
    check_threads(function, threads);
    check_shape<double, 2>(function, "elbow", poses.elbow, {count, 3});
    check_shape<double, 2>(function, "end", poses.end, {count, 3});
    check_rows("base", limbs.base, count);
    check_rows("target", limbs.target, count);
    check_rows("upper", limbs.upper, count);
    check_rows("lower", limbs.lower, count);
    check_rows("axis", limbs.axis, count);
    std::atomic<bool> valid = true;
    parallel_for(count, limbs_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        if (!solve_two_bone(limbs, poses, begin, end)) valid = false;
    });
    if (valid) return;
    check_numbers("base", limbs.base, -largest_number);
    check_numbers("target", limbs.target, -largest_number);
    check_numbers("upper", limbs.upper, 0.0);
    check_numbers("lower", limbs.lower, 0.0);
    check_numbers("axis", limbs.axis, -largest_number);
}

}  // namespace rigcast::ik
