#include "rigcast/baseline/rigid_clusters.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "rigcast/core/parallel.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/linalg/vec3.h"
#include "rigcast/rig/skinning/rigid_assignment.h"

namespace rigcast::baseline {
namespace {

using linalg::Vec3;

constexpr int reassignments = 4;              // after each round of splits; chosen, not tuned
constexpr std::size_t vertices_per_seed = 8;  // enough for a rigid motion, few enough to be one part; chosen, not tuned

using Members = std::vector<std::vector<std::int32_t>>;

Members members_of(const std::vector<std::int32_t>& cluster, std::int64_t count) {
    Members members(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < cluster.size(); ++k) members[cluster[k]].push_back(static_cast<std::int32_t>(k));
    return members;
}

Vec3 mean(const float* points, const std::vector<std::int32_t>& chosen) {
    Vec3 sum{0.0, 0.0, 0.0};
    for (const std::int32_t k : chosen) sum = sum + Vec3::at(points, k);
    return (1.0 / static_cast<double>(chosen.size())) * sum;
}

void rigid_motion(const float* rest, const float* now, const std::vector<std::int32_t>& chosen, double* motion) {
    if (chosen.empty()) {
        for (int e = 0; e < 12; ++e) motion[e] = e % 5 == 0 ? 1.0 : 0.0;
        return;
    }
    const Vec3 from = mean(rest, chosen), to = mean(now, chosen);
    double covariance[9] = {};
    for (const std::int32_t k : chosen) {
        const Vec3 p = Vec3::at(rest, k) - from, q = Vec3::at(now, k) - to;
        for (int e = 0; e < 9; ++e) covariance[e] += q[e / 3] * p[e % 3];
    }
    const linalg::Polar polar = linalg::polar_decomposition(covariance);
    for (int row = 0; row < 3; ++row) {
        const double* r = polar.rotation + 3 * row;
        std::copy_n(r, 3, motion + 4 * row);
        motion[4 * row + 3] = to[row] - (r[0] * from[0] + r[1] * from[1] + r[2] * from[2]);
    }
}

/// The cluster of each vertex whose motion fits best, and its squared error.
struct Assignment {
    std::vector<std::int32_t> cluster;
    std::vector<double> error;
};

Assignment assign(View<const float, 2> rest, View<const float, 3> vertices, const std::vector<std::int32_t>& cluster,
                  std::int64_t count, int threads) {
    const std::int64_t num_vertices = rest.extent(0);
    const std::vector<double> motions = rigid_motions(rest, vertices, cluster, count, threads);
    std::vector<double> errors(static_cast<std::size_t>(num_vertices * count), 0.0);
    rig::add_rigid_errors({motions.data(), {vertices.extent(0), count, 12}}, rest, vertices,
                          {errors.data(), {num_vertices, count}}, threads);
    Assignment found;
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        const double* row = errors.data() + k * count;
        const auto best = std::min_element(row, row + count) - row;
        found.cluster.push_back(static_cast<std::int32_t>(best));
        found.error.push_back(row[best]);
    }
    return found;
}

/// Gives the new cluster `target` the vertices of a cluster that are nearest at rest to the one that fits worst.
void split(View<const float, 2> rest, const std::vector<std::int32_t>& members, std::int32_t target,
           Assignment* found) {
    const std::int32_t worst = *std::max_element(members.begin(), members.end(), [&](std::int32_t a, std::int32_t b) {
        return found->error[a] < found->error[b];
    });
    const auto distance = [&](std::int32_t k) {
        const Vec3 d = linalg::difference(rest.data(), k, worst);
        return linalg::dot(d, d);
    };
    std::vector<std::int32_t> nearest = members;
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](std::int32_t a, std::int32_t b) { return distance(a) < distance(b); });
    nearest.resize(std::clamp<std::size_t>(members.size() / 2, 1, vertices_per_seed));
    for (const std::int32_t k : nearest) {
        found->cluster[k] = target;
        found->error[k] = 0.0;
    }
}

/// The clusters with more than one vertex, of largest summed error first.
std::vector<std::int32_t> by_error(const Members& members, const std::vector<double>& error) {
    std::vector<double> sum(members.size(), 0.0);
    std::vector<std::int32_t> order;
    for (std::size_t b = 0; b < members.size(); ++b) {
        for (const std::int32_t k : members[b]) sum[b] += error[k];
        if (members[b].size() > 1) order.push_back(static_cast<std::int32_t>(b));
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return sum[a] > sum[b]; });
    return order;
}

/// Refills empty clusters below `used`, then makes new ones up to `limit`. Returns the clusters in use.
std::int64_t split_worst(View<const float, 2> rest, std::int64_t used, std::int64_t limit, Assignment* found) {
    const Members members = members_of(found->cluster, used);
    std::vector<std::int32_t> free;
    for (std::int64_t b = 0; b < used; ++b) {
        if (members[b].empty()) free.push_back(static_cast<std::int32_t>(b));
    }
    for (std::int64_t b = used; b < limit; ++b) free.push_back(static_cast<std::int32_t>(b));
    const std::vector<std::int32_t> order = by_error(members, found->error);
    const std::size_t splits = std::min(free.size(), order.size());
    for (std::size_t i = 0; i < splits; ++i) split(rest, members[order[i]], free[i], found);
    std::int64_t last = used;
    for (std::size_t i = 0; i < splits; ++i) last = std::max<std::int64_t>(last, free[i] + 1);
    return last;
}

}  // namespace

std::vector<double> rigid_motions(View<const float, 2> rest, View<const float, 3> vertices,
                                  const std::vector<std::int32_t>& cluster, std::int64_t count, int threads) {
    const Members members = members_of(cluster, count);
    std::vector<double> motions(static_cast<std::size_t>(12 * count * vertices.extent(0)));
    parallel_for(vertices.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            for (std::int64_t b = 0; b < count; ++b) {
                rigid_motion(rest.data(), vertices.row(t), members[b], motions.data() + 12 * (count * t + b));
            }
        }
    });
    return motions;
}

std::vector<std::int32_t> rigid_clusters(View<const float, 2> rest, View<const float, 3> vertices, std::int64_t count,
                                         int threads) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(rest.extent(0)), 0);
    Assignment found = assign(rest, vertices, all, 1, threads);
    std::int64_t used = 1;
    while (used < count) {
        const std::int64_t next = split_worst(rest, used, std::min(2 * used, count), &found);
        if (next == used) break;  // every cluster is one vertex
        used = next;
        for (int round = 0; round < reassignments; ++round) {
            found = assign(rest, vertices, found.cluster, used, threads);
        }
    }
    split_worst(rest, used, used, &found);  // none is empty
    return found.cluster;
}

}  // namespace rigcast::baseline
