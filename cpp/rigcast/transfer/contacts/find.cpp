#include <algorithm>
#include <cmath>
#include <limits>

#include "rigcast/core/parallel.h"
#include "rigcast/mesh/components.h"
#include "rigcast/mesh/normals.h"
#include "rigcast/mesh/search/box_tree.h"
#include "rigcast/mesh/topology.h"
#include "rigcast/mesh/triangles.h"
#include "rigcast/transfer/contacts/contacts.h"

namespace rigcast::transfer {
namespace {

// Chosen, not tuned.

/// Largest cosine between the normals of vertices that face each other. Stricter than in ContactPatch: a pair that is
/// not found is less harm than a wrong one.
constexpr double opposed_cosine = -0.5;
/// Smallest cosine between the gap and the outward direction: below it the gap is a thickness. Slightly negative, so
/// that surfaces that touch side by side in the neutral count.
constexpr double outward_cosine = -0.2;
/// Vertices within this many edges along the surface are neighbors, not contacts, as in ContactPatch.
constexpr int neighbor_edges = 3;

struct Partner {
    std::int32_t vertex = -1;
    double distance = std::numeric_limits<double>::infinity();  // in edge lengths
};

/// The mesh and its neutral, which all poses share.
struct Surface {
    Surface(View<const float, 3> poses, View<const std::int32_t, 2> all_faces)
        : faces(all_faces),
          num_vertices(poses.extent(1)),
          neutral(poses.row(0)),
          neighbors(all_faces, num_vertices),
          components(mesh::triangulate(all_faces), num_vertices),
          normals(normals_of(neutral)),
          edge_length(num_vertices, 0.0),
          tree(boxes_of(neutral)) {
        for (std::int64_t v = 0; v < num_vertices; ++v) {
            const std::int32_t begin = neighbors.start[v];
            const std::int32_t end = neighbors.start[v + 1];
            for (std::int32_t e = begin; e < end; ++e) {
                edge_length[v] += std::sqrt(squared_distance(neutral, v, neighbors.vertex[e])) / (end - begin);
            }
        }
    }

    std::vector<float> normals_of(const float* points) const {
        std::vector<float> result(static_cast<std::size_t>(3 * num_vertices));
        mesh::vertex_normals({points, {num_vertices, 3}}, faces, {result.data(), {num_vertices, 3}});
        return result;
    }

    std::vector<mesh::Box> boxes_of(const float* points) const {
        std::vector<mesh::Box> boxes(num_vertices, mesh::Box::empty());
        for (std::int64_t v = 0; v < num_vertices; ++v) {
            const double point[3] = {points[3 * v], points[3 * v + 1], points[3 * v + 2]};
            boxes[v].include(point);
        }
        return boxes;
    }

    static double squared_distance(const float* points, std::int64_t i, std::int64_t j) {
        double sum = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double d = static_cast<double>(points[3 * j + a]) - points[3 * i + a];
            sum += d * d;
        }
        return sum;
    }

    bool is_opposed(const std::vector<float>& n, std::int64_t i, std::int64_t j) const {
        return n[3 * i] * n[3 * j] + n[3 * i + 1] * n[3 * j + 1] + n[3 * i + 2] * n[3 * j + 2] < opposed_cosine;
    }

    /// Returns true if the gap from i to j in the neutral is outside the body.
    bool leads_outward(std::int64_t i, std::int64_t j) const {
        double along = 0.0;
        double squared = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double gap = static_cast<double>(neutral[3 * j + a]) - neutral[3 * i + a];
            const double out = static_cast<double>(normals[3 * i + a]) - normals[3 * j + a];
            along += gap * out;
            squared += out * out;
        }
        return along >= outward_cosine * std::sqrt(squared * squared_distance(neutral, i, j));
    }

    bool are_neighbors(std::int32_t i, std::int32_t j) const { return reaches(i, j, neighbor_edges); }

    /// Returns true if j is at most `edges` edges from i.
    bool reaches(std::int32_t i, std::int32_t j, int edges) const {
        if (i == j) return true;
        for (std::int32_t e = neighbors.start[i]; edges > 0 && e < neighbors.start[i + 1]; ++e) {
            if (reaches(neighbors.vertex[e], j, edges - 1)) return true;
        }
        return false;
    }

    View<const std::int32_t, 2> faces;
    std::int64_t num_vertices;
    const float* neutral;
    mesh::Neighbors neighbors;
    mesh::Components components;
    std::vector<float> normals;
    std::vector<double> edge_length;
    mesh::BoxTree tree;  // of the neutral's vertices
};

/// The nearest vertex that each vertex faces. In poses other than the neutral, only vertices that have moved get one.
std::vector<Partner> partners(const Surface& surface, const float* points, double max_distance) {
    const std::vector<float> normals = surface.normals_of(points);
    const mesh::BoxTree tree = surface.tree.refitted(surface.boxes_of(points));
    std::vector<Partner> result(surface.num_vertices);
    for (std::int32_t i = 0; i < surface.num_vertices; ++i) {
        const bool moves = !std::equal(points + 3 * i, points + 3 * i + 3, surface.neutral + 3 * i);
        const double length = surface.edge_length[i];
        if (!(length > 0.0) || !(moves || points == surface.neutral)) continue;
        const double point[3] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
        const double limit = max_distance * max_distance * length * length;
        const double best = tree.nearest(point, limit, [&](std::int32_t j, double so_far) {
            const double squared = Surface::squared_distance(points, i, j);
            if (squared >= so_far || !surface.is_opposed(normals, i, j)) return so_far;
            if (surface.components.of[i] != surface.components.of[j] || !surface.leads_outward(i, j)) return so_far;
            if (surface.are_neighbors(i, j)) return so_far;
            result[i].vertex = j;
            return squared;
        });
        result[i].distance = std::sqrt(best) / length;
    }
    return result;
}

}  // namespace

std::vector<std::array<std::int32_t, 2>> find_contacts(View<const float, 3> poses, View<const std::int32_t, 2> faces,
                                                       double max_distance, int threads) {
    const Surface surface(poses, faces);
    std::vector<std::vector<Partner>> found(poses.extent(0));
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p) found[p] = partners(surface, poses.row(p), max_distance);
    });
    std::vector<std::array<std::int32_t, 2>> pairs;
    for (std::int32_t v = 0; v < surface.num_vertices; ++v) {
        Partner nearest;
        for (const std::vector<Partner>& pose : found) {
            if (pose[v].vertex >= 0 && pose[v].distance < nearest.distance) nearest = pose[v];
        }
        if (nearest.vertex >= 0) pairs.push_back({std::min(v, nearest.vertex), std::max(v, nearest.vertex)});
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

}  // namespace rigcast::transfer
