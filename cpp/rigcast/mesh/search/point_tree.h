#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::mesh {

/// A k-d tree over points, for nearest-neighbor queries. Copies the points. Immutable: const members are thread-safe.
class PointTree {
public:
    /// points: (N, 3). Throws ArgumentError if N = 0 or a value is not finite.
    explicit PointTree(View<const float, 2> points);

    /// Writes the indices of the nearest points of each query (Q, 3), nearest first, and their squared distances, both
    /// (Q, count). Of equally near points the lower index comes first. Throws ArgumentError unless shapes match,
    /// queries are finite and 1 <= count <= N.
    void nearest(View<const float, 2> queries, View<std::int32_t, 2> indices, View<float, 2> squared_distances,
                 int threads) const;

private:
    struct Node {
        std::int32_t begin;  // its points are order_[begin] to before order_[end]
        std::int32_t end;
        std::int32_t axis;  // of the split; -1: a leaf
        float split;
        std::int32_t right;  // the right child; the left child follows its parent
    };
    struct Query;
    void build(std::int32_t begin, std::int32_t end);
    void search(std::int32_t node, Query& query) const;

    std::vector<float> points_;
    std::vector<std::int32_t> order_;
    std::vector<Node> nodes_;
};

}  // namespace rigcast::mesh
