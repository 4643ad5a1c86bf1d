#include "rigcast/differential/anchored_mesh.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/mesh/components.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::differential {
namespace {

/// An edge of a face, and the corners at its ends: corner c of face f is 4 f + c.
struct Side {
    mesh::Edge edge;
    std::int32_t corner_a;
    std::int32_t corner_b;
    friend auto operator<=>(const Side&, const Side&) = default;
};

std::vector<Side> sorted_sides(const char* function, View<const std::int32_t, 2> faces) {
    std::vector<Side> sides;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const int count = mesh::num_corners(faces.row(f));
        for (int c = 0; c < count; ++c) {
            for (int other = 0; other < c; ++other) {
                if (faces(f, c) == faces(f, other)) {
                    throw bad_argument(
                        function, "faces",
                        "with vertex " + std::to_string(faces(f, c)) + " twice in face " + std::to_string(f),
                        "of different corners");
                }
            }
            const int next = (c + 1) % count;
            Side side{{faces(f, c), faces(f, next)},
                      static_cast<std::int32_t>(4 * f + c),
                      static_cast<std::int32_t>(4 * f + next)};
            if (side.edge.a > side.edge.b) {
                std::swap(side.edge.a, side.edge.b);
                std::swap(side.corner_a, side.corner_b);
            }
            sides.push_back(side);
        }
    }
    std::sort(sides.begin(), sides.end());
    return sides;
}

std::int32_t root(std::vector<std::int32_t>& parent, std::int32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// Joins the corners of each vertex whose faces share an edge.
std::vector<std::int32_t> joined_corners(const char* function, std::int64_t num_faces, const std::vector<Side>& sides) {
    std::vector<std::int32_t> parent(4 * num_faces);
    std::iota(parent.begin(), parent.end(), 0);
    for (std::size_t i = 1; i < sides.size(); ++i) {
        if (sides[i].edge != sides[i - 1].edge) continue;
        if (i > 1 && sides[i].edge == sides[i - 2].edge) {
            throw bad_argument(function, "faces",
                               "with more than two faces at the edge between vertices " +
                                   std::to_string(sides[i].edge.a) + " and " + std::to_string(sides[i].edge.b),
                               "a manifold mesh");
        }
        parent[root(parent, sides[i].corner_a)] = root(parent, sides[i - 1].corner_a);
        parent[root(parent, sides[i].corner_b)] = root(parent, sides[i - 1].corner_b);
    }
    return parent;
}

}  // namespace

void check_mesh(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices) {
    if (num_vertices < 1) throw bad_argument(function, "num_vertices", std::to_string(num_vertices), "at least 1");
    mesh::check_faces(function, faces, num_vertices);
    const std::vector<Side> sides = sorted_sides(function, faces);
    std::vector<std::int32_t> parent = joined_corners(function, faces.extent(0), sides);
    std::vector<std::int32_t> fan(num_vertices, -1);  // a corner of each vertex
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        for (int c = 0; c < mesh::num_corners(faces.row(f)); ++c) {
            const std::int32_t corner = root(parent, static_cast<std::int32_t>(4 * f + c));
            std::int32_t& known = fan[faces(f, c)];
            if (known >= 0 && known != corner) {
                throw bad_argument(function, "faces",
                                   "with faces at vertex " + std::to_string(faces(f, c)) + " that share no edge there",
                                   "a manifold mesh");
            }
            known = corner;
        }
    }
    const auto unused = std::find(fan.begin(), fan.end(), -1);
    if (unused != fan.end()) {
        throw bad_argument(function, "faces", "without vertex " + std::to_string(unused - fan.begin()),
                           "a mesh that uses all " + std::to_string(num_vertices) + " vertices");
    }
}

MeshComponents::MeshComponents(View<const std::int32_t, 2> faces, std::int64_t num_vertices) {
    mesh::Components components(mesh::triangulate(faces), num_vertices);
    of = std::move(components.of);
    count = components.count;
}

void check_anchors(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                   View<const std::int32_t, 1> anchors) {
    const MeshComponents components(faces, num_vertices);
    std::vector<bool> is_anchor(num_vertices);
    std::vector<bool> is_anchored(components.count);
    for (const std::int32_t v : anchors) {
        if (v < 0 || v >= num_vertices) {
            throw bad_argument(function, "anchors", "holding " + std::to_string(v),
                               "vertices below " + std::to_string(num_vertices));
        }
        if (is_anchor[v]) throw bad_argument(function, "anchors", "holding " + std::to_string(v) + " twice", "unique");
        is_anchor[v] = true;
        is_anchored[components.of[v]] = true;
    }
    const auto loose = std::find(is_anchored.begin(), is_anchored.end(), false);
    if (loose == is_anchored.end()) return;
    const std::int32_t component = static_cast<std::int32_t>(loose - is_anchored.begin());
    const auto first = std::find(components.of.begin(), components.of.end(), component);
    const auto size = std::count(components.of.begin(), components.of.end(), component);
    throw bad_argument(
        function, "anchors",
        "without a vertex of component " + std::to_string(component) + " (" + std::to_string(size) +
            " vertices, the first is " + std::to_string(first - components.of.begin()) + ")",
        "at least one vertex of each of the " + std::to_string(components.count) + " connected components");
}

}  // namespace rigcast::differential
