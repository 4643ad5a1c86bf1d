#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "rigcast/linalg/vec3.h"
#include "rigcast/mesh/charts/charts.h"

namespace rigcast::mesh {
namespace {

using linalg::Vec3;

Edge edge_between(std::int32_t a, std::int32_t b) {
    return a < b ? Edge{a, b} : Edge{b, a};
}

/// A piece of the mesh with its holes filled: vertices from `first_filler` on are the middles of holes.
struct Filled {
    std::vector<Corners> triangles;
    std::vector<double> points;  // (V + holes, 3)
    std::int32_t first_filler = 0;
    std::int64_t num_holes = 0;
};

double border_length(const std::vector<double>& points, const std::vector<std::int32_t>& loop) {
    double sum = 0.0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
        sum += linalg::length(linalg::difference(points.data(), loop[i], loop[(i + 1) % loop.size()]));
    }
    return sum;
}

/// Fills all simple borders but the longest.
Filled fill_holes(View<const float, 2> points, const std::vector<Corners>& piece) {
    Filled filled{piece, {points.begin(), points.end()}, static_cast<std::int32_t>(points.extent(0)), 0};
    const std::vector<std::vector<std::int32_t>> loops = simple_borders(shared_edges(piece));
    if (loops.size() < 2) return filled;
    std::vector<double> lengths;
    for (const auto& loop : loops) lengths.push_back(border_length(filled.points, loop));
    const auto longest = std::max_element(lengths.begin(), lengths.end()) - lengths.begin();
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (static_cast<std::ptrdiff_t>(i) == longest) continue;
        const auto middle = static_cast<std::int32_t>(filled.points.size() / 3);
        Vec3 mean{0.0, 0.0, 0.0};
        for (const std::int32_t v : loops[i]) mean = mean + Vec3::at(filled.points.data(), v);
        mean = (1.0 / static_cast<double>(loops[i].size())) * mean;
        filled.points.insert(filled.points.end(), mean.begin(), mean.end());
        for (std::size_t k = 0; k < loops[i].size(); ++k) {
            filled.triangles.push_back({loops[i][k], loops[i][(k + 1) % loops[i].size()], middle});
        }
        ++filled.num_holes;
    }
    return filled;
}

/// Inner edges that a breadth-first tree of triangles does not cross.
std::set<Edge> uncrossed(const std::vector<SharedEdge>& edges, std::size_t num_triangles) {
    std::vector<std::vector<const SharedEdge*>> at(num_triangles);
    std::set<Edge> result;
    for (const SharedEdge& shared : edges) {
        if (!shared.inner()) continue;
        result.insert(shared.edge);
        for (const std::int32_t t : shared.triangles) at[t].push_back(&shared);
    }
    std::vector<bool> seen(num_triangles, false);
    std::queue<std::int32_t> next;
    next.push(0);
    seen[0] = true;
    while (!next.empty()) {
        const std::int32_t t = next.front();
        next.pop();
        for (const SharedEdge* shared : at[t]) {
            const std::int32_t other = shared->triangles[shared->triangles[0] == t];
            if (seen[other]) continue;
            seen[other] = true;
            result.erase(shared->edge);
            next.push(other);
        }
    }
    return result;
}

/// Removes edges with a loose end from `cuts`, again and again; borders hold on to theirs.
void prune(const std::vector<SharedEdge>& edges, std::set<Edge>* cuts) {
    std::map<std::int32_t, std::set<Edge>> at;
    std::set<std::int32_t> on_border;
    for (const SharedEdge& shared : edges) {
        if (!shared.inner()) on_border.insert({shared.edge.a, shared.edge.b});
    }
    for (const Edge& edge : *cuts) {
        at[edge.a].insert(edge);
        at[edge.b].insert(edge);
    }
    std::vector<std::int32_t> loose;
    const auto is_loose = [&](std::int32_t v) { return at[v].size() == 1 && !on_border.contains(v); };
    for (const auto& entry : at) {
        if (is_loose(entry.first)) loose.push_back(entry.first);
    }
    while (!loose.empty()) {
        const std::int32_t v = loose.back();
        loose.pop_back();
        if (!is_loose(v)) continue;
        const Edge edge = *at[v].begin();
        const std::int32_t other = edge.a == v ? edge.b : edge.a;
        at[v].erase(edge);
        at[other].erase(edge);
        cuts->erase(edge);
        if (is_loose(other)) loose.push_back(other);
    }
}

/// The shortest way along edges from `start` to every vertex: lengths, and the vertex before each.
struct Ways {
    std::vector<double> length;
    std::vector<std::int32_t> before;
};

Ways shortest_ways(const std::vector<SharedEdge>& edges, const std::vector<double>& points, std::int32_t start) {
    const std::size_t count = points.size() / 3;
    std::vector<std::vector<std::int32_t>> beside(count);
    for (const SharedEdge& shared : edges) {
        beside[shared.edge.a].push_back(shared.edge.b);
        beside[shared.edge.b].push_back(shared.edge.a);
    }
    constexpr double never = std::numeric_limits<double>::infinity();
    Ways ways{std::vector<double>(count, never), std::vector<std::int32_t>(count, -1)};
    using Entry = std::pair<double, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    ways.length[start] = 0.0;
    open.push({0.0, start});
    while (!open.empty()) {
        const auto [reached, v] = open.top();
        open.pop();
        if (reached > ways.length[v]) continue;
        for (const std::int32_t w : beside[v]) {
            const double length = reached + linalg::length(linalg::difference(points.data(), v, w));
            if (!(length < ways.length[w])) continue;
            ways.length[w] = length;
            ways.before[w] = v;
            open.push({length, w});
        }
    }
    return ways;
}

std::int32_t farthest(const Ways& ways) {
    std::int32_t best = -1;
    for (std::size_t v = 0; v < ways.length.size(); ++v) {
        if (ways.length[v] == std::numeric_limits<double>::infinity()) continue;
        if (best < 0 || ways.length[v] > ways.length[best]) best = static_cast<std::int32_t>(v);
    }
    return best;
}

/// A path of at least two edges across a closed surface, between vertices that are far from each other.
std::set<Edge> slit(const std::vector<SharedEdge>& edges, const std::vector<double>& points) {
    const std::int32_t start = farthest(shortest_ways(edges, points, edges.front().edge.a));
    const Ways ways = shortest_ways(edges, points, start);
    std::int32_t at = farthest(ways);
    std::set<Edge> path;
    const std::int32_t end = at;
    for (; at != start; at = ways.before[at]) path.insert(edge_between(at, ways.before[at]));
    if (path.size() > 1) return path;
    for (const SharedEdge& shared : edges) {  // all vertices are neighbors
        const bool meets = shared.edge.a == end || shared.edge.b == end;
        if (meets && !path.contains(shared.edge)) return {*path.begin(), shared.edge};
    }
    return path;
}

/// The set that each corner (3 T) belongs to, when triangles are glued along edges.
class Gluing {
public:
    explicit Gluing(std::size_t num_corners) : parent_(num_corners) { std::iota(parent_.begin(), parent_.end(), 0); }
    void join(std::int32_t a, std::int32_t b) { parent_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }
    std::int32_t root(std::int32_t a) {
        while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
        return a;
    }

private:
    std::vector<std::int32_t> parent_;
};

std::int32_t corner_at(const std::vector<Corners>& triangles, std::int32_t t, std::int32_t vertex) {
    const auto& corners = triangles[t];
    return 3 * t + static_cast<std::int32_t>(std::find(corners.begin(), corners.end(), vertex) - corners.begin());
}

Disk glued(const Filled& filled, const std::vector<SharedEdge>& edges, const std::set<Edge>& cuts) {
    Gluing gluing(3 * filled.triangles.size());
    for (const SharedEdge& shared : edges) {
        if (!shared.inner() || cuts.contains(shared.edge)) continue;
        for (const std::int32_t v : {shared.edge.a, shared.edge.b}) {
            gluing.join(corner_at(filled.triangles, shared.triangles[0], v),
                        corner_at(filled.triangles, shared.triangles[1], v));
        }
    }
    Disk disk;
    std::vector<std::int32_t> copy(3 * filled.triangles.size(), -1);
    for (std::size_t t = 0; t < filled.triangles.size(); ++t) {
        Corners corners;
        for (int k = 0; k < 3; ++k) {
            const std::int32_t root = gluing.root(static_cast<std::int32_t>(3 * t + k));
            if (copy[root] < 0) {
                const std::int32_t v = filled.triangles[t][k];
                copy[root] = static_cast<std::int32_t>(disk.vertex.size());
                disk.vertex.push_back(v < filled.first_filler ? v : -1);
                const Vec3 point = Vec3::at(filled.points.data(), v);
                disk.points.insert(disk.points.end(), point.begin(), point.end());
            }
            corners[k] = copy[root];
        }
        disk.triangles.push_back(corners);
    }
    const auto loops = simple_borders(shared_edges(disk.triangles));
    if (loops.size() == 1) disk.border = loops.front();
    disk.num_holes = filled.num_holes;
    disk.num_cut = static_cast<std::int64_t>(cuts.size());
    return disk;
}

}  // namespace

std::vector<SharedEdge> shared_edges(const std::vector<Corners>& triangles) {
    std::vector<std::pair<Edge, std::int32_t>> sides;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const auto [a, b] = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
            sides.push_back({{a, b}, static_cast<std::int32_t>(t)});
        }
    }
    std::sort(sides.begin(), sides.end());
    std::vector<SharedEdge> result;
    for (const auto& [edge, triangle] : sides) {
        if (result.empty() || result.back().edge != edge) result.push_back({edge, {}});
        result.back().triangles.push_back(triangle);
    }
    return result;
}

std::vector<SurfacePiece> surface_pieces(View<const std::int32_t, 2> faces) {
    std::vector<Corners> triangles;
    std::vector<std::int32_t> face_of;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        mesh::for_each_triangle(faces.row(f), [&](const Corners& corners) {
            const auto& [a, b, c] = corners;
            if (a == b || b == c || a == c) return;
            triangles.push_back(corners);
            face_of.push_back(static_cast<std::int32_t>(f));
        });
    }
    std::vector<std::vector<std::int32_t>> beside(triangles.size());
    for (const SharedEdge& shared : shared_edges(triangles)) {
        if (!shared.inner()) continue;
        beside[shared.triangles[0]].push_back(shared.triangles[1]);
        beside[shared.triangles[1]].push_back(shared.triangles[0]);
    }
    std::vector<SurfacePiece> pieces;
    std::vector<bool> seen(triangles.size(), false);
    for (std::size_t first = 0; first < triangles.size(); ++first) {
        if (seen[first]) continue;
        std::vector<std::int32_t> members = {static_cast<std::int32_t>(first)};
        seen[first] = true;
        for (std::size_t next = 0; next < members.size(); ++next) {
            for (const std::int32_t t : beside[members[next]]) {
                if (!seen[t]) members.push_back(t);
                seen[t] = true;
            }
        }
        std::sort(members.begin(), members.end());
        pieces.emplace_back();
        for (const std::int32_t t : members) {
            pieces.back().triangles.push_back(triangles[t]);
            pieces.back().faces.push_back(face_of[t]);
        }
    }
    return pieces;
}

std::vector<std::vector<std::int32_t>> simple_borders(const std::vector<SharedEdge>& edges) {
    std::map<std::int32_t, std::vector<std::int32_t>> beside;
    for (const SharedEdge& shared : edges) {
        if (shared.inner()) continue;
        beside[shared.edge.a].push_back(shared.edge.b);
        beside[shared.edge.b].push_back(shared.edge.a);
    }
    std::vector<std::vector<std::int32_t>> result;
    std::map<std::int32_t, bool> seen;
    for (const auto& [first, ends] : beside) {
        if (seen[first]) continue;
        std::vector<std::int32_t> loop;
        bool simple = true;
        std::int32_t before = -1;
        std::int32_t at = first;
        while (simple && !seen[at]) {
            seen[at] = true;
            loop.push_back(at);
            simple = beside[at].size() == 2;
            const std::int32_t next = beside[at][0] == before ? beside[at].back() : beside[at][0];
            before = at;
            at = next;
        }
        if (simple && at == first && loop.size() > 2) result.push_back(loop);
    }
    return result;
}

std::vector<Disk> cut_to_disks(View<const float, 2> points, View<const std::int32_t, 2> faces) {
    std::vector<Disk> disks;
    for (const SurfacePiece& piece : surface_pieces(faces)) {
        const Filled filled = fill_holes(points, piece.triangles);
        const std::vector<SharedEdge> edges = shared_edges(filled.triangles);
        std::set<Edge> cuts = uncrossed(edges, filled.triangles.size());
        prune(edges, &cuts);
        const bool closed = std::all_of(edges.begin(), edges.end(), [](const auto& e) { return e.inner(); });
        if (closed && cuts.empty()) cuts = slit(edges, filled.points);
        disks.push_back(glued(filled, edges, cuts));
        disks.back().faces = piece.faces;
        disks.back().num_triangles = static_cast<std::int64_t>(piece.faces.size());
    }
    return disks;
}

}  // namespace rigcast::mesh
