#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace rigcast::mesh {

/// An axis-aligned box.
struct Box {
    std::array<double, 3> low;
    std::array<double, 3> high;

    /// A box without points: low = +inf, high = -inf.
    static Box empty();
    /// Grows the box to contain a point or another box.
    void include(const double* point);
    void include(const Box& other);
    /// Returns true if the boxes have a point in common.
    bool overlaps(const Box& other) const;
    /// The squared distance of a point to the box; 0 if it is inside.
    double squared_distance(const double* point) const;
    /// The smallest t in [0, best] for which origin + t direction is inside the box; +inf if there is none.
    double entry(const double* origin, const double* direction, double best) const;
};

/// A bounding volume hierarchy over boxes: finds the boxes that overlap a box, the object nearest to a point, and the
/// first object along a ray.
/// Method: median splits along the axis of the largest extent of the boxes' centers. Deterministic. Immutable: const
/// members are thread-safe.
class BoxTree {
public:
    explicit BoxTree(std::vector<Box> boxes);
    /// Refits the tree to as many moved boxes without splitting again. Far cheaper than a rebuild. Queries stay exact
    /// but slow down as boxes drift; ties may resolve differently. Empty boxes are never found.
    BoxTree refitted(std::vector<Box> boxes) const;

    /// Calls visit(i) for every box i that overlaps `box`, in no particular order.
    template <class Visit>
    void overlapping(const Box& box, Visit&& visit) const {
        if (!nodes_.empty()) descend(0, box, visit);
    }

    /// Returns the minimum of `best` and the squared distances of the point to all objects. distance(i, best) returns
    /// the squared distance to the object in box i, or any number >= best if it is not smaller. It is not called for
    /// boxes that are farther away than the best distance so far.
    template <class Distance>
    double nearest(const double* point, double best, Distance&& distance) const {
        if (!nodes_.empty()) approach(0, point, best, distance);
        return best;
    }

    /// Returns the minimum of `best` and the ray parameters t >= 0 at which origin + t direction first meets an object.
    /// distance(i, best) returns the parameter of the object in box i, or any number >= best if it is not smaller. It
    /// is not called for boxes that the ray enters after the best parameter so far.
    template <class Distance>
    double first_along(const double* origin, const double* direction, double best, Distance&& distance) const {
        double reach = std::min(best, std::numeric_limits<double>::max());  // below the +inf of a box that is missed
        if (!nodes_.empty()) pass(0, origin, direction, reach, distance);
        return std::min(best, reach);
    }

private:
    struct Node {
        Box box;
        std::int32_t begin;  // its boxes are order_[begin] to before order_[end]
        std::int32_t end;
        std::int32_t right;  // the right child; -1: a leaf. The left child follows its parent
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
        std::int32_t near = n + 1;
        std::int32_t far = node.right;
        double to_near = nodes_[near].box.squared_distance(point);
        double to_far = nodes_[far].box.squared_distance(point);
        if (to_far < to_near) {
            std::swap(near, far);
            std::swap(to_near, to_far);
        }
        if (to_near < best) approach(near, point, best, distance);
        if (to_far < best) approach(far, point, best, distance);
    }

    template <class Distance>
    void pass(std::int32_t n, const double* origin, const double* direction, double& best, Distance& distance) const {
        const Node& node = nodes_[n];
        if (node.right < 0) {
            for (std::int32_t i = node.begin; i < node.end; ++i) {
                if (boxes_[order_[i]].entry(origin, direction, best) <= best) {
                    best = std::min(best, distance(order_[i], best));
                }
            }
            return;
        }
        std::int32_t near = n + 1;
        std::int32_t far = node.right;
        double to_near = nodes_[near].box.entry(origin, direction, best);
        double to_far = nodes_[far].box.entry(origin, direction, best);
        if (to_far < to_near) {
            std::swap(near, far);
            std::swap(to_near, to_far);
        }
        if (to_near <= best) pass(near, origin, direction, best, distance);
        if (to_far <= best) pass(far, origin, direction, best, distance);
    }

    std::vector<Box> boxes_;
    std::vector<std::int32_t> order_;
    std::vector<Node> nodes_;
};

}  // namespace rigcast::mesh
