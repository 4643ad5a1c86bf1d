#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/packing/node_counter.h"
#include "rigcast/packing/packing_graph.h"

namespace rigcast::packing {

/// One expression.
struct Packing {
    std::vector<int> items;  // ascending
    std::int64_t nodes;      // visited in the search tree
    bool proven;             // no expression weighs more
};

/// The expression with the largest weight sum_i weight_i among `allowed` items (Carrigan 2020, eq. 3.3); among equals,
/// one with most items. After `node_limit` nodes: the best found, not proven.
/// Method: branch and bound on bit sets from a greedy packing on, with bounds from weighted clique covers (Held, Cook
/// and Sewell 2012) of items ordered by their conflicts. Weights are rounded to multiples of 2^-40, so that bounds are
/// exact. Guarantee: the same answer on every machine. Throws ArgumentError unless there is one weight per item, each
/// in [0, 1024].
Packing heaviest_packing(const PackingGraph& graph, View<const double, 1> weights, const BitSet& allowed,
                         std::int64_t node_limit, const ProgressCallback& progress = {});

}  // namespace rigcast::packing
