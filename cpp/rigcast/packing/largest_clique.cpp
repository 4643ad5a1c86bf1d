#include "rigcast/packing/largest_clique.h"

#include <algorithm>

namespace rigcast::packing {
namespace {

/// Extends a clique by candidates. Colorings of the candidates in the complement graph bound how many can still join.
class CliqueSearch {
public:
    CliqueSearch(const PackingGraph& graph, std::int64_t node_limit, const ProgressCallback& progress)
        : graph_(graph), counter_(node_limit, progress) {}

    Clique run(const BitSet& allowed) {
        for (int item : graph_.vertex_clique()) {
            if (allowed.contains(item)) best_.push_back(item);
        }
        expand(allowed);
        std::sort(best_.begin(), best_.end());
        return {best_, counter_.is_within_limit()};
    }

private:
    /// Lists the candidates by color class: items of one class do not conflict, so a clique has one of them at most.
    /// The items order[0] to order[i] have bound[i] classes.
    static void color(const PackingGraph& graph, BitSet candidates, std::vector<int>* order, std::vector<int>* bound) {
        for (int colors = 1; !candidates.empty(); ++colors) {
            BitSet open = candidates;
            for (int v = open.next(); v >= 0; v = open.next(v + 1)) {
                order->push_back(v);
                bound->push_back(colors);
                candidates.erase(v);
                open -= graph.conflicts(v);
            }
        }
    }

    void expand(BitSet candidates) {
        if (!counter_.count()) return;
        if (candidates.empty()) {
            if (current_.size() > best_.size()) best_ = current_;
            return;
        }
        std::vector<int> order;
        std::vector<int> bound;
        color(graph_, candidates, &order, &bound);
        for (std::size_t i = order.size(); i-- > 0 && counter_.is_within_limit();) {
            if (current_.size() + bound[i] <= best_.size()) return;
            BitSet inside = candidates;
            inside &= graph_.conflicts(order[i]);
            current_.push_back(order[i]);
            expand(std::move(inside));
            current_.pop_back();
            candidates.erase(order[i]);
        }
    }

    const PackingGraph& graph_;
    NodeCounter counter_;
    std::vector<int> current_;
    std::vector<int> best_;
};

}  // namespace

Clique largest_clique(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit,
                      const ProgressCallback& progress) {
    return CliqueSearch(graph, node_limit, progress).run(allowed);
}

}  // namespace rigcast::packing
