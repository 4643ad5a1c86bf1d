#include "rigcast/synthesis/playing/shortest_paths.h"

#include <cmath>
#include <string>
#include <vector>

#include "rigcast/core/check.h"

namespace rigcast::synthesis {
namespace {

double edge_cost(const double* a, const double* b, std::int64_t dimensions, double half_power) {
    double square = 0.0;
    for (std::int64_t axis = 0; axis < dimensions; ++axis) square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    return half_power == 2.0 ? square * square : std::pow(square, half_power);
}

}  // namespace

void shortest_paths(View<const double, 2> points, View<const double, 1> target, double power, View<double, 1> cost,
                    View<std::int32_t, 1> next) {
    const char* function = "shortest_paths";
    const std::int64_t count = points.extent(0), dimensions = points.extent(1);
    check_shape<const double, 1>(function, "target", target, {dimensions});
    check_shape<double, 1>(function, "cost", cost, {count});
    check_shape<std::int32_t, 1>(function, "next", next, {count});
    check_finite(function, "points", points);
    check_finite(function, "target", target);
    if (!(std::isfinite(power) && power > 0.0)) {
        throw bad_argument(function, "power", std::to_string(power), "a finite number above 0");
    }
    for (std::int64_t i = 0; i < count; ++i) {
        cost(i) = edge_cost(points.row(i), target.data(), dimensions, 0.5 * power);
        next(i) = -1;
    }
    std::vector<bool> done(static_cast<std::size_t>(count), false);
    for (std::int64_t round = 0; round < count; ++round) {
        std::int64_t nearest = -1;
        for (std::int64_t i = 0; i < count; ++i) {
            if (!done[static_cast<std::size_t>(i)] && (nearest < 0 || cost(i) < cost(nearest))) nearest = i;
        }
        done[static_cast<std::size_t>(nearest)] = true;
        for (std::int64_t i = 0; i < count; ++i) {
            if (done[static_cast<std::size_t>(i)]) continue;
            const double through =
                cost(nearest) + edge_cost(points.row(i), points.row(nearest), dimensions, 0.5 * power);
            if (through < cost(i)) {
                cost(i) = through;
                next(i) = static_cast<std::int32_t>(nearest);
            }
        }
    }
}

}  // namespace rigcast::synthesis
