#include "rigwright/packing/search.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigwright/core/error.h"

namespace rigwright::packing {
namespace {

constexpr double kUnit = 1099511627776.0;  // 2^40
constexpr double kLargest = 1024.0;

/// Whole units, and one more for every item: ties go to more items, and no item is worthless.
std::vector<std::int64_t> whole_weights(View<const double, 1> weights, int items) {
    if (weights.extent(0) != items) {
        throw bad_argument("heaviest_packing", "weights", std::to_string(weights.extent(0)) + " numbers",
                           std::to_string(items) + " numbers");
    }
    std::vector<std::int64_t> whole;
    whole.reserve(items);
    for (double weight : weights) {
        if (!(weight >= 0.0 && weight <= kLargest)) {
            throw bad_argument("heaviest_packing", "weights", std::to_string(weight) + " somewhere",
                               "from 0 to " + std::to_string(static_cast<int>(kLargest)));
        }
        whole.push_back(std::llround(weight * kUnit) + 1);
    }
    return whole;
}

class Search {
public:
    Search(const PackingGraph& graph, std::vector<std::int64_t> weights, std::int64_t node_limit, const Pulse& pulse)
        : graph_(graph),
          weights_(std::move(weights)),
          counter_(node_limit, pulse),
          chosen_(graph.size()),
          best_(graph.size()),
          residual_(graph.size(), 0) {}

    Packing run(const BitSet& allowed) {
        start(allowed);
        expand(allowed, 0);
        Packing packing{{}, counter_.nodes(), counter_.within()};
        for (int i = best_.next(); i >= 0; i = best_.next(i + 1)) packing.items.push_back(i);
        return packing;
    }

private:
    /// Heaviest first, weight shared among the conflicts: a first packing to beat.
    void start(BitSet candidates) {
        while (!candidates.empty()) {
            int first = -1;
            double top = -1.0;
            for (int i = candidates.next(); i >= 0; i = candidates.next(i + 1)) {
                const double value = static_cast<double>(weights_[i]) / (1 + graph_.conflicts(i).shared(candidates));
                if (value > top) {
                    top = value;
                    first = i;
                }
            }
            take(first, &candidates);
            best_.insert(first);
            best_weight_ += weights_[first];
            chosen_ = best_;
        }
        chosen_ = BitSet(graph_.size());
    }

    void take(int item, BitSet* candidates) const {
        candidates->erase(item);
        *candidates -= graph_.conflicts(item);
        graph_.close(chosen_, item, candidates);
    }

    struct Bounded {
        int item;
        std::int64_t bound;
    };

    /// Covers the candidates with weighted cliques until every weight is used up. Item i of the list and all before
    /// it together give no more than the weight of the cliques so far.
    void cover(BitSet candidates, std::vector<Bounded>* list) {
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
        if (!counter_.next()) return;
        if (weight > best_weight_) {
            best_weight_ = weight;
            best_ = chosen_;
        }
        std::vector<Bounded> list;
        cover(candidates, &list);
        for (std::size_t i = list.size(); i-- > 0 && counter_.within();) {
            if (weight + list[i].bound <= best_weight_) return;
            const int item = list[i].item;
            BitSet rest = candidates;
            take(item, &rest);
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
    BitSet chosen_, best_;
    std::vector<std::int64_t> residual_;
};

}  // namespace

Packing heaviest_packing(const PackingGraph& graph, View<const double, 1> weights, const BitSet& allowed,
                         std::int64_t node_limit, const Pulse& pulse) {
    return Search(graph, whole_weights(weights, graph.size()), node_limit, pulse).run(allowed);
}

}  // namespace rigwright::packing
