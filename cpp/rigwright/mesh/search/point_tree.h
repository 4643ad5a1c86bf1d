#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

/// Nearest points: a k-d tree. Keeps a copy of the points.
class PointTree {
public:
    /// Points (N, 3), N > 0, finite; throws ArgumentError otherwise.
    explicit PointTree(View<const float, 2> points);

    /// The `indices.extent(1)` nearest points of every query (Q, 3), nearest first, of equally near ones the lower
    /// index first, with their squared distances, both (Q, count). Throws ArgumentError unless shapes fit and
    /// 1 <= count <= N.
    void nearest(View<const float, 2> queries, View<std::int32_t, 2> indices, View<float, 2> squared_distances,
                 int threads) const;

private:
    struct Node {
        std::int32_t begin, end;  // of order_
        std::int32_t axis;        // -1: a leaf
        float split;
        std::int32_t right;  // the left child follows its parent
    };
    struct Query;
    void build(std::int32_t begin, std::int32_t end);
    void search(std::int32_t node, Query& query) const;

    std::vector<float> points_;
    std::vector<std::int32_t> order_;
    std::vector<Node> nodes_;
};

}  // namespace rigwright::mesh
