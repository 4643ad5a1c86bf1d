#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/packing/bit_set.h"

namespace rigcast::packing {

/// The conflict graph of items: which may not be in one expression. An item is a shape, or shapes that always go
/// together.
///
/// The vertex constraints of the packing program, sum_i b_i^n w_i <= 1 for every vertex n (Carrigan 2020, eq. 3.3b),
/// say exactly that two items which move a common vertex exclude each other: a set of items satisfies all of them if
/// and only if it is independent in this graph. Vertices with equal constraints need no special treatment.
class PackingGraph {
public:
    /// `active` (M, V) is not 0 if item m moves vertex n. `refused` are sets of at least two items that must not be
    /// together; a set of two is an edge. Throws ArgumentError if an item of a refused set does not exist or a set has
    /// fewer than two different items.
    PackingGraph(View<const std::uint8_t, 2> active, const std::vector<std::vector<int>>& refused);

    /// The same graph with the item order[i] (M, each item once) in place i.
    PackingGraph reordered(const std::vector<int>& order) const;

    int size() const { return static_cast<int>(conflicts_.size()); }
    const BitSet& conflicts(int item) const { return conflicts_[item]; }
    /// The items of the vertex that most items move, ascending. They conflict pairwise: no cover has fewer expressions.
    const std::vector<int>& vertex_clique() const { return vertex_clique_; }

    /// Removes the candidates that would complete a refused set once `item` has joined the set `chosen`.
    void remove_completing(const BitSet& chosen, int item, BitSet* candidates) const;
    /// Returns true if `item` completes a refused set when it joins the set `chosen`.
    bool completes_refused(const BitSet& chosen, int item) const;

private:
    PackingGraph() = default;
    void find_vertex_clique(const std::vector<BitSet>& moved);

    std::vector<BitSet> conflicts_;
    std::vector<BitSet> refused_;               // of three items and more
    std::vector<std::vector<int>> refused_at_;  // (M) the refused sets that contain each item
    std::vector<int> vertex_clique_;
};

}  // namespace rigcast::packing
