#include "rigcast/packing/heaviest_packing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "rigcast/core/error.h"

namespace rigcast::packing {
namespace {

constexpr double units_per_weight = 1099511627776.0;  // 2^40: rounding far below what weights mean
constexpr double max_weight = 1024.0;                 // 2^10: sums of thousands of items fit 63 bits

/// Weights in whole units, plus one per item: among equal weights more items win, and every item is worth something.
std::vector<std::int64_t> whole_weights(View<const double, 1> weights, int items) {
    if (weights.extent(0) != items) {
        throw bad_argument("heaviest_packing", "weights", std::to_string(weights.extent(0)) + " numbers",
                           std::to_string(items) + " numbers");
    }
    std::vector<std::int64_t> whole;
    whole.reserve(items);
    for (double weight : weights) {
        if (!(weight >= 0.0 && weight <= max_weight)) {
            throw bad_argument("heaviest_packing", "weights", std::to_string(weight) + " somewhere",
                               "from 0 to " + std::to_string(static_cast<int>(max_weight)));
        }
        whole.push_back(std::llround(weight * units_per_weight) + 1);
    }
    return whole;
}

class Search {
public:
    Search(const PackingGraph& graph, std::vector<std::int64_t> weights, std::int64_t node_limit,
           const ProgressCallback& progress)
        : graph_(graph),
          weights_(std::move(weights)),
          counter_(node_limit, progress),
          chosen_(graph.size()),
          best_(graph.size()),
          residual_(graph.size(), 0) {}

    Packing run(const BitSet& allowed) {
        find_greedy(allowed);
        expand(allowed, 0);
        Packing packing{{}, counter_.nodes(), counter_.is_within_limit()};
        for (int i = best_.next(); i >= 0; i = best_.next(i + 1)) packing.items.push_back(i);
        return packing;
    }

private:
    /// Makes a first packing: repeatedly the item with the largest weight divided by its conflicts.
    void find_greedy(BitSet candidates) {
        while (!candidates.empty()) {
            int first = -1;
            double best_value = -1.0;
            for (int i = candidates.next(); i >= 0; i = candidates.next(i + 1)) {
                const double value =
                    static_cast<double>(weights_[i]) / (1 + graph_.conflicts(i).num_shared(candidates));
                if (value > best_value) {
                    best_value = value;
                    first = i;
                }
            }
            choose(first, &candidates);
            best_.insert(first);
            best_weight_ += weights_[first];
            chosen_ = best_;
        }
        chosen_ = BitSet(graph_.size());
    }

    /// Removes the candidates that may not be together with `item` and the chosen items.
    void choose(int item, BitSet* candidates) const {
        candidates->erase(item);
        *candidates -= graph_.conflicts(item);
        graph_.remove_completing(chosen_, item, candidates);
    }

    struct BoundedItem {
        int item;
        std::int64_t bound;  // of the weight of this item and all before it in the list
    };

    /// Covers the candidates with weighted cliques until the weights of all are covered. An expression has one item of
    /// a clique at most, so that the weight of the cliques so far bounds that of the items covered so far.
    void cover(BitSet candidates, std::vector<BoundedItem>* list) {
        for (int i = candidates.next(); i >= 0; i = candidates.next(i + 1)) residual_[i] = weights_[i];
        std::int64_t bound = 0;
        std::vector<int> clique;
        while (!candidates.empty()) {
            clique.clear();
            std::int64_t least = INT64_MAX;
            BitSet open = candidates;
            for (int i = open.next(); i >= 0; i = open.next(i + 1)) {
                clique.push_back(i);
                least = std::min(least, residual_[i]);
                open &= graph_.conflicts(i);
            }
            bound += least;
            for (int i : clique) {
                residual_[i] -= least;
                if (residual_[i] > 0) continue;
                candidates.erase(i);
                list->push_back({i, bound});
            }
        }
    }

    void expand(BitSet candidates, std::int64_t weight) {
        if (!counter_.count()) return;
        if (weight > best_weight_) {
            best_weight_ = weight;
            best_ = chosen_;
        }
        std::vector<BoundedItem> list;
        cover(candidates, &list);
        for (std::size_t i = list.size(); i-- > 0 && counter_.is_within_limit();) {
            if (weight + list[i].bound <= best_weight_) return;
            const int item = list[i].item;
            BitSet rest = candidates;
            choose(item, &rest);
            chosen_.insert(item);
            expand(std::move(rest), weight + weights_[item]);
            chosen_.erase(item);
            candidates.erase(item);
        }
    }

    const PackingGraph& graph_;
    const std::vector<std::int64_t> weights_;
    NodeCounter counter_;
    std::int64_t best_weight_ = 0;
    BitSet chosen_;
    BitSet best_;
    std::vector<std::int64_t> residual_;  // (M) weight that the cliques do not cover yet
};

/// Items by the number of their conflicts with allowed ones, ascending. Covers begin with items of few conflicts, so
/// that their bounds are tight, and the tree begins with those that exclude most.
std::vector<int> by_conflicts(const PackingGraph& graph, const BitSet& allowed) {
    std::vector<int> order(graph.size()), count(graph.size());
    std::iota(order.begin(), order.end(), 0);
    for (const int item : order) count[item] = graph.conflicts(item).num_shared(allowed);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return count[a] < count[b]; });
    return order;
}

}  // namespace

Packing heaviest_packing(const PackingGraph& graph, View<const double, 1> weights, const BitSet& allowed,
                         std::int64_t node_limit, const ProgressCallback& progress) {
    const std::vector<std::int64_t> whole = whole_weights(weights, graph.size());
    const std::vector<int> order = by_conflicts(graph, allowed);
    std::vector<std::int64_t> ordered(order.size());
    BitSet candidates(graph.size());
    for (int i = 0; i < graph.size(); ++i) {
        ordered[i] = whole[order[i]];
        if (allowed.contains(order[i])) candidates.insert(i);
    }
    const PackingGraph reordered = graph.reordered(order);
    Packing packing = Search(reordered, std::move(ordered), node_limit, progress).run(candidates);
    for (int& item : packing.items) item = order[item];
    std::sort(packing.items.begin(), packing.items.end());
    return packing;
}

}  // namespace rigcast::packing
