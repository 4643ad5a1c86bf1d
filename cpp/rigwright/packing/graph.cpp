#include "rigwright/packing/graph.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "rigwright/core/error.h"

namespace rigwright::packing {
namespace {

BitSet refused_set(const std::vector<int>& items, int size) {
    BitSet set(size);
    for (int item : items) {
        if (item < 0 || item >= size) {
            throw bad_argument("PackingGraph", "refused", "a set with item " + std::to_string(item),
                               "sets of items from 0 to " + std::to_string(size - 1));
        }
        set.insert(item);
    }
    if (set.count() < 2) {
        throw bad_argument("PackingGraph", "refused", "a set of " + std::to_string(set.count()) + " items",
                           "sets of at least two items");
    }
    return set;
}

std::uint64_t eight_flags(const std::uint8_t* flags) {
    std::uint64_t word;
    std::memcpy(&word, flags, sizeof word);
    return word;
}

/// Eights of vertices, by number, that some item moves; the last one may be shorter.
std::vector<int> moved_eights(View<const std::uint8_t, 2> active) {
    const int whole = static_cast<int>(active.extent(1) / 8), vertices = static_cast<int>(active.extent(1));
    std::vector<std::uint64_t> any(whole + 1, 0);
    for (std::int64_t m = 0; m < active.extent(0); ++m) {
        const std::uint8_t* row = active.row(m);
        for (int e = 0; e < whole; ++e) any[e] |= eight_flags(row + 8 * e);
        for (int n = 8 * whole; n < vertices; ++n) any[whole] |= row[n];
    }
    std::vector<int> moved;
    for (int e = 0; e <= whole; ++e) {
        if (any[e] != 0) moved.push_back(e);
    }
    return moved;
}

/// The items' vertices as bits, without the many vertices that no item moves.
std::vector<BitSet> moved_vertices(View<const std::uint8_t, 2> active) {
    const std::vector<int> eights = moved_eights(active);
    const int vertices = static_cast<int>(active.extent(1));
    std::vector<BitSet> rows(active.extent(0), BitSet(8 * static_cast<int>(eights.size())));
    for (std::size_t m = 0; m < rows.size(); ++m) {
        const std::uint8_t* row = active.row(static_cast<std::int64_t>(m));
        for (std::size_t place = 0; place < eights.size(); ++place) {
            const int first = 8 * eights[place], count = std::min(8, vertices - first);
            if (count == 8 && eight_flags(row + first) == 0) continue;
            for (int i = 0; i < count; ++i) {
                if (row[first + i] != 0) rows[m].insert(8 * static_cast<int>(place) + i);
            }
        }
    }
    return rows;
}

/// Cliques grow from the vertex order `order`; color classes bound what a candidate set can still give.
class CliqueSearch {
public:
    CliqueSearch(const PackingGraph& graph, std::int64_t node_limit, const Pulse& pulse)
        : graph_(graph), counter_(node_limit, pulse) {}

    Clique run(const BitSet& allowed) {
        for (int item : graph_.deepest()) {
            if (allowed.contains(item)) best_.push_back(item);
        }
        expand(allowed);
        std::sort(best_.begin(), best_.end());
        return {best_, counter_.within()};
    }

private:
    /// Candidates by color class of the graph of non-conflicts: bound[i] classes hold the first i + 1 of them.
    static void color(const PackingGraph& graph, BitSet candidates, std::vector<int>* order, std::vector<int>* bound) {
        for (int colors = 1; !candidates.empty(); ++colors) {
            BitSet open = candidates;
            for (int v = open.next(); v >= 0; v = open.next(v + 1)) {
                order->push_back(v);
                bound->push_back(colors);
                candidates.erase(v);
                open -= graph.conflicts(v);
            }
        }
    }

    void expand(BitSet candidates) {
        if (!counter_.next()) return;
        if (candidates.empty()) {
            if (current_.size() > best_.size()) best_ = current_;
            return;
        }
        std::vector<int> order, bound;
        color(graph_, candidates, &order, &bound);
        for (std::size_t i = order.size(); i-- > 0 && counter_.within();) {
            if (current_.size() + bound[i] <= best_.size()) return;
            BitSet inside = candidates;
            inside &= graph_.conflicts(order[i]);
            current_.push_back(order[i]);
            expand(std::move(inside));
            current_.pop_back();
            candidates.erase(order[i]);
        }
    }

    const PackingGraph& graph_;
    NodeCounter counter_;
    std::vector<int> current_, best_;
};

}  // namespace

PackingGraph::PackingGraph(View<const std::uint8_t, 2> active, const std::vector<std::vector<int>>& refused) {
    const int items = static_cast<int>(active.extent(0));
    const std::vector<BitSet> rows = moved_vertices(active);
    conflicts_.assign(items, BitSet(items));
    const auto join = [&](int a, int b) {
        conflicts_[a].insert(b);
        conflicts_[b].insert(a);
    };
    for (int a = 0; a < items; ++a) {
        for (int b = a + 1; b < items; ++b) {
            if (rows[a].intersects(rows[b])) join(a, b);
        }
    }
    find_deepest(rows);
    refused_at_.resize(items);
    for (const std::vector<int>& given : refused) {
        const BitSet set = refused_set(given, items);
        const int first = set.next();
        if (set.count() == 2) {
            join(first, set.next(first + 1));
            continue;
        }
        for (int i = first; i >= 0; i = set.next(i + 1)) refused_at_[i].push_back(static_cast<int>(refused_.size()));
        refused_.push_back(set);
    }
}

void PackingGraph::find_deepest(const std::vector<BitSet>& rows) {
    std::vector<int> depth(rows.empty() ? 0 : rows.front().capacity(), 0);
    for (const BitSet& row : rows) {
        for (int n = row.next(); n >= 0; n = row.next(n + 1)) ++depth[n];
    }
    const auto most = std::max_element(depth.begin(), depth.end());
    if (most == depth.end()) return;
    const int vertex = static_cast<int>(most - depth.begin());
    for (std::size_t m = 0; m < rows.size(); ++m) {
        if (rows[m].contains(vertex)) deepest_.push_back(static_cast<int>(m));
    }
}

void PackingGraph::close(const BitSet& chosen, int item, BitSet* candidates) const {
    for (int which : refused_at_[item]) {
        BitSet missing = refused_[which];
        missing -= chosen;
        missing.erase(item);
        if (missing.count() == 1) candidates->erase(missing.next());
    }
}

bool PackingGraph::completes_refused(const BitSet& chosen, int item) const {
    return std::any_of(refused_at_[item].begin(), refused_at_[item].end(), [&](int which) {
        BitSet missing = refused_[which];
        missing -= chosen;
        missing.erase(item);
        return missing.empty();
    });
}

Clique largest_clique(const PackingGraph& graph, const BitSet& allowed, std::int64_t node_limit, const Pulse& pulse) {
    return CliqueSearch(graph, node_limit, pulse).run(allowed);
}

}  // namespace rigwright::packing
