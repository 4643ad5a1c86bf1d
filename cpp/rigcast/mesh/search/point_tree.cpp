#include "rigcast/mesh/search/point_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/interruption.h"
#include "rigcast/core/parallel.h"

namespace rigcast::mesh {
namespace {

/// Larger leaves compare more points, smaller ones visit more nodes. Chosen, not tuned.
constexpr std::int32_t points_per_leaf = 8;
constexpr std::int32_t points_between_checks = 1 << 14;  // for Ctrl-C: they are split in a millisecond
constexpr std::int64_t queries_per_task = 256;           // not sensitive: a task is far longer than its start

}  // namespace

/// A query and its nearest points so far, in ascending order of distance, then index.
struct PointTree::Query {
    const float* at;
    std::int64_t count;
    std::int32_t* index;
    float* squared;

    float worst() const { return squared[count - 1]; }
    /// Inserts a point if it is among the nearest.
    void insert(std::int32_t point, float distance) {
        const auto precedes = [&](std::int64_t i) {
            return squared[i] < distance || (squared[i] == distance && index[i] < point);
        };
        if (precedes(count - 1)) return;
        std::int64_t i = count - 1;
        for (; i > 0 && !precedes(i - 1); --i) {
            index[i] = index[i - 1];
            squared[i] = squared[i - 1];
        }
        index[i] = point;
        squared[i] = distance;
    }
};

PointTree::PointTree(View<const float, 2> points) : points_(points.begin(), points.end()), order_(points.extent(0)) {
    check_shape<const float, 2>("PointTree", "points", points, {-1, 3});
    check_finite("PointTree", "points", points);
    if (order_.empty()) throw bad_argument("PointTree", "points", "empty", "at least one point");
    std::iota(order_.begin(), order_.end(), 0);
    build(0, static_cast<std::int32_t>(order_.size()));
}

void PointTree::build(std::int32_t begin, std::int32_t end) {
    const std::size_t self = nodes_.size();
    nodes_.push_back({begin, end, -1, 0.0f, -1});
    if (end - begin <= points_per_leaf) return;
    if (end - begin > points_between_checks) check_interruption();
    float low[3];
    float high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::numeric_limits<float>::max();
        high[axis] = std::numeric_limits<float>::lowest();
    }
    for (std::int32_t i = begin; i < end; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float x = points_[3 * static_cast<std::size_t>(order_[i]) + axis];
            low[axis] = std::min(low[axis], x);
            high[axis] = std::max(high[axis], x);
        }
    }
    int axis = 0;
    for (int other = 1; other < 3; ++other) {
        if (high[other] - low[other] > high[axis] - low[axis]) axis = other;
    }
    if (!(high[axis] > low[axis])) return;  // all points are equal
    const std::int32_t middle = begin + (end - begin) / 2;
    const auto coordinate = [&](std::int32_t point) { return points_[3 * static_cast<std::size_t>(point) + axis]; };
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::int32_t a, std::int32_t b) { return coordinate(a) < coordinate(b); });
    nodes_[self].axis = axis;
    nodes_[self].split = coordinate(order_[middle]);
    build(begin, middle);
    nodes_[self].right = static_cast<std::int32_t>(nodes_.size());
    build(middle, end);
}

void PointTree::search(std::int32_t index, Query& query) const {
    const Node& node = nodes_[index];
    if (node.axis < 0) {
        for (std::int32_t i = node.begin; i < node.end; ++i) {
            const float* point = points_.data() + 3 * static_cast<std::size_t>(order_[i]);
            float squared = 0.0f;
            for (int axis = 0; axis < 3; ++axis)
                squared += (point[axis] - query.at[axis]) * (point[axis] - query.at[axis]);
            query.insert(order_[i], squared);
        }
        return;
    }
    const float side = query.at[node.axis] - node.split;
    search(side < 0.0f ? index + 1 : node.right, query);
    if (side * side <= query.worst()) search(side < 0.0f ? node.right : index + 1, query);
}

void PointTree::nearest(View<const float, 2> queries, View<std::int32_t, 2> indices, View<float, 2> squared_distances,
                        int threads) const {
    check_shape<const float, 2>("PointTree.nearest", "queries", queries, {-1, 3});
    check_finite("PointTree.nearest", "queries", queries);
    const std::int64_t count = indices.extent(1);
    if (count < 1 || count > static_cast<std::int64_t>(order_.size())) {
        throw bad_argument("PointTree.nearest", "count", std::to_string(count),
                           "from 1 to " + std::to_string(order_.size()));
    }
    check_shape<std::int32_t, 2>("PointTree.nearest", "indices", indices, {queries.extent(0), count});
    check_shape<float, 2>("PointTree.nearest", "squared_distances", squared_distances, {queries.extent(0), count});
    parallel_for(queries.extent(0), queries_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t q = begin; q < end; ++q) {
            Query query{queries.row(q), count, indices.row(q), squared_distances.row(q)};
            std::fill_n(query.index, count, std::numeric_limits<std::int32_t>::max());
            std::fill_n(query.squared, count, std::numeric_limits<float>::infinity());
            search(0, query);
        }
    });
}

}  // namespace rigcast::mesh
