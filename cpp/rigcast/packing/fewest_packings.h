#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/packing/node_counter.h"
#include "rigcast/packing/packing_graph.h"

namespace rigcast::packing {

/// Expressions that cover all allowed items: a coloring of the conflict graph.
struct Coloring {
    std::vector<int> expression;  // of each item; -1 if it is not allowed
    int count;                    // expressions
    int lower_bound;              // no cover has fewer
    std::int64_t nodes;           // visited in the search tree
    bool proven;                  // count == lower_bound
};

/// Covers the allowed items with as few expressions as possible. Stops after `node_limit` nodes, or when a cover has at
/// most `sufficient` expressions (0: only when none can have fewer).
/// Method: branch and bound in the order of saturation (Brelaz 1979), from the largest clique on, which is also the
/// lower bound.
/// Guarantee: the same answer on every machine.
Coloring fewest_packings(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit, int sufficient = 0,
                         const ProgressCallback& progress = {});

}  // namespace rigcast::packing
