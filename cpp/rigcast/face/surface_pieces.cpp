#include "rigcast/face/surface_pieces.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rigcast::face {

std::vector<SharedEdge> shared_edges(const std::vector<mesh::Corners>& triangles) {
    std::vector<std::pair<mesh::Edge, std::int32_t>> sides;
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
    std::vector<mesh::Corners> triangles;
    std::vector<std::int32_t> face_of;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        mesh::for_each_triangle(faces.row(f), [&](const mesh::Corners& corners) {
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

}  // namespace rigcast::face
