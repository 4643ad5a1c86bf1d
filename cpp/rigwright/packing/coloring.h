#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/packing/graph.h"

namespace rigwright::packing {

/// Expressions that cover all allowed items.
struct Coloring {
    std::vector<int> expression;  // of each item; -1 where it was not allowed
    int count;                    // expressions
    int lower_bound;              // no cover has fewer
    std::int64_t nodes;           // of the search tree
    bool proven;                  // count == lower_bound
};

/// As few expressions as possible: a coloring of the conflict graph. Branch and bound in the order of saturation
/// (Brelaz 1979), from the largest clique on, which bounds it below. Stops after `node_limit` nodes, or as soon as
/// `enough` expressions suffice (0: at the fewest). The same answer on every machine.
Coloring fewest_packings(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit, int enough = 0,
                         const Pulse& pulse = {});

}  // namespace rigwright::packing
