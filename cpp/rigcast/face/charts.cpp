#include "rigcast/face/charts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "rigcast/core/check.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::face {
namespace {

constexpr const char* chart_uvs_name = "chart_uvs";

/// Places the first copies of vertices that have no place yet; marks faces with corners at other copies.
void place(const Disk& disk, const std::vector<double>& layout, std::int32_t number, Charts* charts) {
    std::vector<bool> used(disk.vertex.size(), false);
    for (std::size_t d = 0; d < disk.vertex.size() && !layout.empty(); ++d) {
        const std::int32_t v = disk.vertex[d];
        if (v < 0 || charts->chart[v] >= 0) continue;
        used[d] = true;
        charts->chart[v] = number;
        for (int axis = 0; axis < 2; ++axis) charts->uvs[2 * v + axis] = layout[2 * d + axis];
    }
    for (std::int64_t t = 0; t < disk.num_triangles; ++t) {
        for (const std::int32_t d : disk.triangles[t]) {
            if (!used[d]) charts->whole[disk.faces[t]] = false;
        }
    }
}

}  // namespace

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

Charts chart_uvs(View<const float, 2> points, View<const std::int32_t, 2> faces) {
    check_shape<const float, 2>(chart_uvs_name, "rest_vertices", points, {-1, 3});
    check_finite(chart_uvs_name, "rest_vertices", points);
    mesh::check_faces(chart_uvs_name, faces, points.extent(0));
    const auto count = static_cast<std::size_t>(points.extent(0));
    Charts charts{std::vector<double>(2 * count, 0.5),
                  std::vector<std::int32_t>(count, -1),
                  std::vector<bool>(faces.extent(0), true),
                  {}};
    for (const Disk& disk : cut_to_disks(points, faces)) {
        const std::vector<double> layout = minimum_stretch(disk);
        place(disk, layout, static_cast<std::int32_t>(charts.charts.size()), &charts);
        charts.charts.push_back({layout.empty() ? 0.0 : stretch(disk, layout), disk.num_cut, disk.num_holes});
    }
    return charts;
}

}  // namespace rigcast::face
