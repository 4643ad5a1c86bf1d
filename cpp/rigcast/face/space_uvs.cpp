#include "rigcast/face/space_uvs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace rigcast::face {
namespace {

constexpr int intervals = 64;   // more follow single edges
constexpr int smoothed = 2;     // neighbors on each side that an interval's change is averaged with
constexpr double base = 0.1;    // room for intervals without motion, of the mean: more wastes texels on the scalp
constexpr double least = 1e-4;  // an edge's shortest length along the axis, of the axis

using Density = std::array<double, intervals>;

/// The change that edges add to each interval; `x` are the coordinates scaled to [0, 1].
Density change_along(const std::vector<double>& x, const std::vector<mesh::Edge>& edges,
                     const std::vector<double>& change) {
    Density density{};
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const double low = std::min(x[edges[e].a], x[edges[e].b]);
        const double high = std::max(x[edges[e].a], x[edges[e].b]);
        const double share = change[e] / std::max(high - low, least);
        const int first = std::min(static_cast<int>(low * intervals), intervals - 1);
        const int last = std::min(static_cast<int>(high * intervals), intervals - 1);
        for (int k = first; k <= last; ++k) {
            const double begin = static_cast<double>(k) / intervals;
            density[k] += share * std::max(std::min(high, begin + 1.0 / intervals) - std::max(low, begin), 0.0);
        }
    }
    return density;
}

Density smooth(const Density& density) {
    Density result{};
    for (int k = 0; k < intervals; ++k) {
        for (int n = k - smoothed; n <= k + smoothed; ++n) result[k] += density[std::clamp(n, 0, intervals - 1)];
        result[k] /= 2 * smoothed + 1;
    }
    return result;
}

/// The new coordinate at the begin of each interval and at the end of the last one, from 0 to 1.
std::array<double, intervals + 1> integral(const Density& density) {
    double mean = 0.0;
    for (const double x : density) mean += x / intervals;
    std::array<double, intervals + 1> sum{};
    for (int k = 0; k < intervals; ++k) {
        const double root = std::sqrt(mean > 0.0 ? density[k] / mean : 1.0);
        sum[k + 1] = sum[k] + base + root * std::sqrt(root);
    }
    for (double& x : sum) x /= sum[intervals];
    return sum;
}

}  // namespace

std::vector<double> space_uvs(View<const double, 2> uvs, const std::vector<mesh::Edge>& edges,
                              const std::vector<double>& change) {
    const std::int64_t count = uvs.extent(0);
    std::vector<double> result(2 * count, 0.5);
    std::vector<double> x(count);
    for (int axis = 0; axis < 2; ++axis) {
        double low = uvs(0, axis);
        double high = low;
        for (std::int64_t v = 0; v < count; ++v) {
            low = std::min(low, uvs(v, axis));
            high = std::max(high, uvs(v, axis));
        }
        if (!(high > low)) continue;
        for (std::int64_t v = 0; v < count; ++v) x[v] = (uvs(v, axis) - low) / (high - low);
        const std::array<double, intervals + 1> placed = integral(smooth(change_along(x, edges, change)));
        for (std::int64_t v = 0; v < count; ++v) {
            const int k = std::min(static_cast<int>(x[v] * intervals), intervals - 1);
            const double within = x[v] * intervals - k;
            result[2 * v + axis] = placed[k] + within * (placed[k + 1] - placed[k]);
        }
    }
    return result;
}

}  // namespace rigcast::face
