#include "rigwright/packing/coloring.h"

#include <algorithm>

namespace rigwright::packing {
namespace {

class Search {
public:
    Search(const PackingGraph& graph, const BitSet& allowed, std::int64_t limit, int target, const Pulse& pulse)
        : graph_(graph),
          counter_(std::max<std::int64_t>(limit, allowed.count() + 1), pulse),  // the first descent always arrives
          target_(target),
          open_(allowed),
          color_(graph.size(), -1),
          fewest_(allowed.count() + 1),
          neighbors_(graph.size(), std::vector<int>(allowed.count() + 1, 0)),
          saturation_(graph.size(), 0) {}

    void run(const std::vector<int>& clique) {
        for (int item : clique) assign(item, used_++);
        expand();
    }

    int fewest() const { return fewest_; }
    const std::vector<int>& best() const { return best_; }
    std::int64_t nodes() const { return counter_.nodes(); }
    bool exhausted() const { return counter_.within(); }

private:
    /// The open item that sees most expressions, of several the one with most open conflicts.
    int most_saturated() const {
        int best = -1, saturation = -1, degree = -1;
        for (int i = open_.next(); i >= 0; i = open_.next(i + 1)) {
            if (saturation_[i] < saturation) continue;
            const int open = graph_.conflicts(i).shared(open_);
            if (saturation_[i] > saturation || open > degree) {
                best = i;
                saturation = saturation_[i];
                degree = open;
            }
        }
        return best;
    }

    void assign(int item, int color) {
        color_[item] = color;
        open_.erase(item);
        if (static_cast<int>(members_.size()) <= color) members_.resize(color + 1, BitSet(graph_.size()));
        members_[color].insert(item);
        touch(item, color, 1);
    }

    void release(int item, int color) {
        touch(item, color, -1);
        members_[color].erase(item);
        open_.insert(item);
        color_[item] = -1;
    }

    /// Counts the conflicts of every item with every expression; those above 0 are its saturation.
    void touch(int item, int color, int step) {
        const BitSet& conflicts = graph_.conflicts(item);
        for (int i = conflicts.next(); i >= 0; i = conflicts.next(i + 1)) {
            const int before = neighbors_[i][color];
            neighbors_[i][color] += step;
            saturation_[i] += (neighbors_[i][color] > 0) - (before > 0);
        }
    }

    void expand() {
        if (!counter_.next() || fewest_ <= target_) return;
        const int item = most_saturated();
        if (item < 0) {
            fewest_ = used_;
            best_ = color_;
            return;
        }
        const int before = used_;
        for (int color = 0; color <= before && color + 1 < fewest_; ++color) {
            if (std::max(before, color + 1) >= fewest_) return;
            if (neighbors_[item][color] > 0) continue;
            if (color < before && graph_.completes_refused(members_[color], item)) continue;
            used_ = std::max(before, color + 1);
            assign(item, color);
            expand();
            release(item, color);
            used_ = before;
            if (!counter_.within() || fewest_ <= target_) return;
        }
    }

    const PackingGraph& graph_;
    NodeCounter counter_;
    const int target_;
    BitSet open_;
    std::vector<int> color_, best_;
    int used_ = 0, fewest_;
    std::vector<std::vector<int>> neighbors_;
    std::vector<int> saturation_;
    std::vector<BitSet> members_;
};

}  // namespace

Coloring fewest_packings(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit, int enough,
                         const Pulse& pulse) {
    const Clique clique = largest_clique(graph, allowed, node_limit, pulse);
    const int bound = static_cast<int>(clique.items.size());
    Search search(graph, allowed, node_limit, std::max(bound, enough), pulse);
    search.run(clique.items);
    const bool complete = search.exhausted() && search.fewest() > std::max(bound, enough);
    const int lower = complete ? search.fewest() : bound;
    return {search.best(), search.fewest(), lower, search.nodes(), search.fewest() == lower};
}

}  // namespace rigwright::packing
