#include "rigcast/packing/fewest_packings.h"

#include <algorithm>

#include "rigcast/packing/largest_clique.h"

namespace rigcast::packing {
namespace {

class Search {
public:
    Search(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit, int sufficient,
           const ProgressCallback& progress)
        : graph_(graph),
          counter_(std::max<std::int64_t>(node_limit, allowed.count() + 1), progress),  // always finds a first cover
          sufficient_(sufficient),
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
    bool is_within_limit() const { return counter_.is_within_limit(); }

private:
    /// The open item that conflicts with most expressions; among equals, that with most open conflicts. -1 if none.
    int most_saturated() const {
        int best = -1;
        int saturation = -1;
        int degree = -1;
        for (int i = open_.next(); i >= 0; i = open_.next(i + 1)) {
            if (saturation_[i] < saturation) continue;
            const int open = graph_.conflicts(i).num_shared(open_);
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
        count_conflicts(item, color, 1);
    }

    void release(int item, int color) {
        count_conflicts(item, color, -1);
        members_[color].erase(item);
        open_.insert(item);
        color_[item] = -1;
    }

    /// Adds `step` to the conflicts with an expression of all items that conflict with `item`. The expressions with
    /// which an item has conflicts are its saturation.
    void count_conflicts(int item, int color, int step) {
        const BitSet& conflicts = graph_.conflicts(item);
        for (int i = conflicts.next(); i >= 0; i = conflicts.next(i + 1)) {
            const int before = neighbors_[i][color];
            neighbors_[i][color] += step;
            saturation_[i] += (neighbors_[i][color] > 0) - (before > 0);
        }
    }

    void expand() {
        if (!counter_.count() || fewest_ <= sufficient_) return;
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
            if (!counter_.is_within_limit() || fewest_ <= sufficient_) return;
        }
    }

    const PackingGraph& graph_;
    NodeCounter counter_;
    const int sufficient_;
    BitSet open_;
    std::vector<int> color_;                   // (M) expression of each item, -1: open or not allowed
    std::vector<int> best_;                    // color_ of the best cover
    int used_ = 0;                             // expressions in use
    int fewest_;                               // expressions of the best cover
    std::vector<std::vector<int>> neighbors_;  // (M, expressions) conflicts of an item with items of an expression
    std::vector<int> saturation_;              // (M)
    std::vector<BitSet> members_;              // (expressions) items
};

}  // namespace

Coloring fewest_packings(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit, int sufficient,
                         const ProgressCallback& progress) {
    const Clique clique = largest_clique(graph, allowed, node_limit, progress);
    const int bound = static_cast<int>(clique.items.size());
    const int limit = std::max(bound, sufficient);
    Search search(graph, allowed, node_limit, limit, progress);
    search.run(clique.items);
    const bool complete = search.is_within_limit() && search.fewest() > limit;
    const int lower = complete ? search.fewest() : bound;
    return {search.best(), search.fewest(), lower, search.nodes(), search.fewest() == lower};
}

}  // namespace rigcast::packing
