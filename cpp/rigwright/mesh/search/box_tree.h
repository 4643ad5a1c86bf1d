#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace rigwright::mesh {

/// An axis-aligned box.
struct Box {
    std::array<double, 3> low, high;

    static Box empty();
    void include(const double* point);
    void include(const Box& other);
    bool overlaps(const Box& other) const;
    /// 0 inside.
    double squared_distance(const double* point) const;
};

/// A tree of boxes for the questions "which overlap this one" and "which thing is nearest". Built by median splits
/// along the longest axis of the boxes' centers; the same boxes give the same tree. Immutable.
class BoxTree {
public:
    explicit BoxTree(std::vector<Box> boxes);
    /// The same splits over as many other boxes: those of things that have moved. Costs a fraction of another tree;
    /// answers are the same, later the farther things have moved, but of several things equally near another may be
    /// asked first. Empty boxes are never found.
    BoxTree refitted(std::vector<Box> boxes) const;

    /// Calls visit(i) for every box i that overlaps `box`.
    template <class Visit>
    void overlapping(const Box& box, Visit&& visit) const {
        if (!nodes_.empty()) descend(0, box, visit);
    }

    /// The least of `best` and distance(i, best) over all boxes i, where distance(i, best) is the squared distance of
    /// the point to what box i holds, or anything not below `best`. Boxes that are farther than the best so far are
    /// not asked.
    template <class Distance>
    double nearest(const double* point, double best, Distance&& distance) const {
        if (!nodes_.empty()) approach(0, point, best, distance);
        return best;
    }

private:
    struct Node {
        Box box;
        std::int32_t begin, end;  // of order_
        std::int32_t right;       // -1: a leaf; the left child follows its parent
    };
    void build(std::int32_t begin, std::int32_t end);

    template <class Visit>
    void descend(std::int32_t n, const Box& box, Visit& visit) const {
        const Node& node = nodes_[n];
        if (!node.box.overlaps(box)) return;
        if (node.right >= 0) {
            descend(n + 1, box, visit);
            descend(node.right, box, visit);
            return;
        }
        for (std::int32_t i = node.begin; i < node.end; ++i) {
            if (boxes_[order_[i]].overlaps(box)) visit(order_[i]);
        }
    }

    template <class Distance>
    void approach(std::int32_t n, const double* point, double& best, Distance& distance) const {
        const Node& node = nodes_[n];
        if (node.right < 0) {
            for (std::int32_t i = node.begin; i < node.end; ++i) {
                if (boxes_[order_[i]].squared_distance(point) < best) best = std::min(best, distance(order_[i], best));
            }
            return;
        }
        std::int32_t near = n + 1, far = node.right;
        double to_near = nodes_[near].box.squared_distance(point), to_far = nodes_[far].box.squared_distance(point);
        if (to_far < to_near) {
            std::swap(near, far);
            std::swap(to_near, to_far);
        }
        if (to_near < best) approach(near, point, best, distance);
        if (to_far < best) approach(far, point, best, distance);
    }

    std::vector<Box> boxes_;
    std::vector<std::int32_t> order_;
    std::vector<Node> nodes_;
};

}  // namespace rigwright::mesh
