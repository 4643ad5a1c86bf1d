#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/packing/graph.h"

namespace rigwright::packing {

/// One expression.
struct Packing {
    std::vector<int> items;  // ascending
    std::int64_t nodes;      // of the search tree
    bool proven;             // that none weighs more
};

/// The expression of largest weight sum_i weight_i among `allowed` items, of several the one with most items
/// (Carrigan 2020, eq. 3.3): branch and bound on bit sets, bounded by weighted clique covers (Held, Cook and Sewell
/// 2012), from the greedy packing on. Weights count in whole multiples of 2^-40, so that the bounds are exact.
/// After `node_limit` nodes the best so far, not proven. The same answer on every machine.
/// Throws ArgumentError unless there is one weight an item, each from 0 to 2^10.
Packing heaviest_packing(const PackingGraph& graph, View<const double, 1> weights, const BitSet& allowed,
                         std::int64_t node_limit, const Pulse& pulse = {});

}  // namespace rigwright::packing
