#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/packing/bits.h"

namespace rigwright::packing {

/// What may not stand in one expression. Items are shapes, or groups of shapes that always go together.
///
/// The vertex constraints of the packing program, sum_i b_i^n w_i <= 1 for every vertex n (Carrigan 2020, eq. 3.3b),
/// say that two items which share an active vertex exclude each other, and no more: a set of items keeps all of them
/// if and only if it is independent in this graph. Repeated and included vertex rows vanish by themselves.
class PackingGraph {
public:
    /// `active` is (M, V), not 0 where item m moves vertex n. `refused` are sets of at least two items that must not
    /// stand together; two make an edge. Throws ArgumentError where an item of a refused set does not exist, or a set
    /// has fewer than two different ones.
    PackingGraph(View<const std::uint8_t, 2> active, const std::vector<std::vector<int>>& refused);

    int size() const { return static_cast<int>(conflicts_.size()); }
    const BitSet& conflicts(int item) const { return conflicts_[item]; }
    /// The most items at one vertex: pairwise in conflict, so that none has fewer expressions. Ascending.
    const std::vector<int>& deepest() const { return deepest_; }

    /// Items that a set may not get: joined by `item`, it would hold all others of a refused set.
    void close(const BitSet& chosen, int item, BitSet* candidates) const;
    /// Whether a set joined by `item` holds a refused set.
    bool completes_refused(const BitSet& chosen, int item) const;

private:
    void find_deepest(const std::vector<BitSet>& rows);

    std::vector<BitSet> conflicts_;
    std::vector<BitSet> refused_;               // of three items and more
    std::vector<std::vector<int>> refused_at_;  // of each item, those that hold it
    std::vector<int> deepest_;
};

/// Called with the number of nodes that a search has looked at, now and then: at the same nodes on every machine. What
/// it throws ends the search.
using Pulse = std::function<void(std::int64_t nodes)>;

/// Counts the nodes of a search.
class NodeCounter {
public:
    NodeCounter(std::int64_t limit, Pulse pulse) : limit_(limit), pulse_(std::move(pulse)) {}

    /// One node more; whether it is within the limit.
    bool next() {
        if (++nodes_ % interval == 0 && pulse_) pulse_(nodes_);
        return nodes_ <= limit_;
    }
    bool within() const { return nodes_ <= limit_; }
    std::int64_t nodes() const { return nodes_; }

private:
    static constexpr std::int64_t interval = 1024;  // some hundredths of a second
    std::int64_t nodes_ = 0, limit_;
    Pulse pulse_;
};

/// Pairwise conflicting items, as many as were found: a lower bound of the number of expressions.
struct Clique {
    std::vector<int> items;  // ascending
    bool proven;             // that there is no larger one
};

/// The largest clique among `allowed` items (Tomita's branch and bound, colored bounds), or the largest found when
/// `node_limit` nodes are spent. The same answer on every machine.
Clique largest_clique(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit,
                      const Pulse& pulse = {});

}  // namespace rigwright::packing
