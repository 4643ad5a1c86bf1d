#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/packing/node_counter.h"
#include "rigcast/packing/packing_graph.h"

namespace rigcast::packing {

/// Pairwise conflicting items: their number is a lower bound of the number of expressions.
struct Clique {
    std::vector<int> items;  // ascending
    bool proven;             // no larger clique exists
};

/// The largest clique among `allowed` items, or the largest found within `node_limit` nodes.
/// Method: branch and bound with bounds from colorings (Tomita and Seki 2003).
/// Guarantee: the same answer on every machine.
Clique largest_clique(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit,
                      const ProgressCallback& progress = {});

}  // namespace rigcast::packing
