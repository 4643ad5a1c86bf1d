#include "rigcast/packing/packing_graph.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "rigcast/core/error.h"

namespace rigcast::packing {
namespace {

/// A refused set as bits, checked.
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

/// Eight flags as one word: 0 if none is set.
std::uint64_t eight_flags(const std::uint8_t* flags) {
    std::uint64_t word;
    std::memcpy(&word, flags, sizeof word);
    return word;
}

/// Vertices are tested in groups of eight, the last of which may be shorter. Returns the numbers of the groups with a
/// vertex that some item moves.
std::vector<int> moved_groups(View<const std::uint8_t, 2> active) {
    const int vertices = static_cast<int>(active.extent(1));
    const int whole = vertices / 8;
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

/// (M) the vertices that each item moves, as bits. Groups of vertices that no item moves are left out.
std::vector<BitSet> moved_vertices(View<const std::uint8_t, 2> active) {
    const std::vector<int> groups = moved_groups(active);
    const int vertices = static_cast<int>(active.extent(1));
    std::vector<BitSet> rows(active.extent(0), BitSet(8 * static_cast<int>(groups.size())));
    for (std::size_t m = 0; m < rows.size(); ++m) {
        const std::uint8_t* row = active.row(static_cast<std::int64_t>(m));
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const int first = 8 * groups[g];
            const int count = std::min(8, vertices - first);
            if (count == 8 && eight_flags(row + first) == 0) continue;
            for (int i = 0; i < count; ++i) {
                if (row[first + i] != 0) rows[m].insert(8 * static_cast<int>(g) + i);
            }
        }
    }
    return rows;
}

}  // namespace

PackingGraph::PackingGraph(View<const std::uint8_t, 2> active, const std::vector<std::vector<int>>& refused) {
    const int items = static_cast<int>(active.extent(0));
    const std::vector<BitSet> moved = moved_vertices(active);
    conflicts_.assign(items, BitSet(items));
    const auto join = [&](int a, int b) {
        conflicts_[a].insert(b);
        conflicts_[b].insert(a);
    };
    for (int a = 0; a < items; ++a) {
        for (int b = a + 1; b < items; ++b) {
            if (moved[a].intersects(moved[b])) join(a, b);
        }
    }
    find_vertex_clique(moved);
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

PackingGraph PackingGraph::reordered(const std::vector<int>& order) const {
    std::vector<int> place(order.size());
    for (int i = 0; i < size(); ++i) place[order[i]] = i;
    const auto moved = [&](const BitSet& items) {
        BitSet result(size());
        for (int i = items.next(); i >= 0; i = items.next(i + 1)) result.insert(place[i]);
        return result;
    };
    PackingGraph result;
    for (const int item : order) {
        result.conflicts_.push_back(moved(conflicts_[item]));
        result.refused_at_.push_back(refused_at_[item]);
    }
    for (const BitSet& set : refused_) result.refused_.push_back(moved(set));
    for (const int item : vertex_clique_) result.vertex_clique_.push_back(place[item]);
    std::sort(result.vertex_clique_.begin(), result.vertex_clique_.end());
    return result;
}

void PackingGraph::find_vertex_clique(const std::vector<BitSet>& moved) {
    std::vector<int> count(moved.empty() ? 0 : moved.front().capacity(), 0);
    for (const BitSet& row : moved) {
        for (int n = row.next(); n >= 0; n = row.next(n + 1)) ++count[n];
    }
    const auto most = std::max_element(count.begin(), count.end());
    if (most == count.end()) return;
    const int vertex = static_cast<int>(most - count.begin());
    for (std::size_t m = 0; m < moved.size(); ++m) {
        if (moved[m].contains(vertex)) vertex_clique_.push_back(static_cast<int>(m));
    }
}

void PackingGraph::remove_completing(const BitSet& chosen, int item, BitSet* candidates) const {
    for (int set : refused_at_[item]) {
        BitSet missing = refused_[set];
        missing -= chosen;
        missing.erase(item);
        if (missing.count() == 1) candidates->erase(missing.next());
    }
}

bool PackingGraph::completes_refused(const BitSet& chosen, int item) const {
    return std::any_of(refused_at_[item].begin(), refused_at_[item].end(), [&](int set) {
        BitSet missing = refused_[set];
        missing -= chosen;
        missing.erase(item);
        return missing.empty();
    });
}

}  // namespace rigcast::packing
