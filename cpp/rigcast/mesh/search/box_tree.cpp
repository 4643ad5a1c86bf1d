#include "rigcast/mesh/search/box_tree.h"

#include <limits>
#include <numeric>

#include "rigcast/core/interruption.h"

namespace rigcast::mesh {
namespace {

/// Larger leaves test more boxes, smaller ones more nodes. Chosen, not tuned.
constexpr std::int32_t boxes_per_leaf = 4;
constexpr std::int32_t boxes_between_checks = 1 << 14;  // for Ctrl-C: they are split in a millisecond

double twice_center(const Box& box, int axis) {
    return box.low[axis] + box.high[axis];
}

}  // namespace

Box Box::empty() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    return {{inf, inf, inf}, {-inf, -inf, -inf}};
}

void Box::include(const double* point) {
    for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], point[i]);
        high[i] = std::max(high[i], point[i]);
    }
}

void Box::include(const Box& other) {
    for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], other.low[i]);
        high[i] = std::max(high[i], other.high[i]);
    }
}

bool Box::overlaps(const Box& other) const {
    for (int i = 0; i < 3; ++i) {
        if (low[i] > other.high[i] || other.low[i] > high[i]) return false;
    }
    return true;
}

double Box::squared_distance(const double* point) const {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double outside = std::max({low[i] - point[i], 0.0, point[i] - high[i]});
        sum += outside * outside;
    }
    return sum;
}

double Box::entry(const double* origin, const double* direction, double best) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    double enter = 0.0;
    double leave = best;
    for (int i = 0; i < 3; ++i) {
        if (direction[i] == 0.0) {  // parallel to these two planes: a division would make NaN of a point on one of them
            if (origin[i] < low[i] || origin[i] > high[i]) return never;
            continue;
        }
        const double to_low = (low[i] - origin[i]) / direction[i];
        const double to_high = (high[i] - origin[i]) / direction[i];
        enter = std::max(enter, direction[i] > 0.0 ? to_low : to_high);
        leave = std::min(leave, direction[i] > 0.0 ? to_high : to_low);
    }
    return enter <= leave ? enter : never;
}

BoxTree::BoxTree(std::vector<Box> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (!boxes_.empty()) build(0, static_cast<std::int32_t>(boxes_.size()));
}

BoxTree BoxTree::refitted(std::vector<Box> boxes) const {
    BoxTree result = *this;
    result.boxes_ = std::move(boxes);
    for (std::size_t n = nodes_.size(); n-- > 0;) {  // children follow their parents
        Node& node = result.nodes_[n];
        node.box = Box::empty();
        if (node.right >= 0) {
            node.box.include(result.nodes_[n + 1].box);
            node.box.include(result.nodes_[node.right].box);
            continue;
        }
        for (std::int32_t i = node.begin; i < node.end; ++i) node.box.include(result.boxes_[order_[i]]);
    }
    return result;
}

void BoxTree::build(std::int32_t begin, std::int32_t end) {
    const std::size_t index = nodes_.size();
    Box box = Box::empty();
    std::array<double, 3> low;
    std::array<double, 3> high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (std::int32_t i = begin; i < end; ++i) {
        box.include(boxes_[order_[i]]);
        for (int a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], twice_center(boxes_[order_[i]], a));
            high[a] = std::max(high[a], twice_center(boxes_[order_[i]], a));
        }
    }
    nodes_.push_back({box, begin, end, -1});
    if (end - begin <= boxes_per_leaf) return;
    if (end - begin > boxes_between_checks) check_interruption();
    int axis = 0;
    for (int a = 1; a < 3; ++a) {
        if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    }
    const std::int32_t middle = (begin + end) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::int32_t a, std::int32_t b) {
                         const double ca = twice_center(boxes_[a], axis);
                         const double cb = twice_center(boxes_[b], axis);
                         return ca != cb ? ca < cb : a < b;
                     });
    build(begin, middle);
    nodes_[index].right = static_cast<std::int32_t>(nodes_.size());
    build(middle, end);
}

}  // namespace rigcast::mesh
