#include <algorithm>
#include <cmath>
#include <limits>

#include "rigcast/core/parallel.h"
#include "rigcast/mesh/components.h"
#include "rigcast/mesh/normals.h"
#include "rigcast/mesh/search/box_tree.h"
#include "rigcast/mesh/search/closest_points.h"
#include "rigcast/mesh/topology.h"
#include "rigcast/mesh/triangles.h"
#include "rigcast/transfer/contacts/contacts.h"

namespace rigcast::transfer {
namespace {

// Chosen, not tuned.

/// Largest cosine between the normals of surfaces that face each other. A smaller one loses partners on curved lips, a
/// larger one finds partners across a corner.
constexpr double opposed_cosine = -0.3;
/// Vertices within this many edges along the surface are neighbors, not partners. Fewer: a sharp fold is taken for a
/// contact; more: contacts near the corners of mouth and eyes are lost.
constexpr int neighbor_edges = 3;
/// Rings around contact vertices whose triangles belong to the patch: room for partners that slide. More cost time.
constexpr int patch_rings = 2;
/// Largest cosine between the normals of vertices that face each other. Stricter than in ContactPatch: a pair that is
/// not found is less harm than a wrong one.
constexpr double opposed_pair_cosine = -0.5;
/// Smallest cosine between the gap and the outward direction: below it the gap is a thickness. Slightly negative, so
/// that surfaces that touch side by side in the neutral count.
constexpr double outward_cosine = -0.2;

/// The vertices within `neighbor_edges` edges of each of `vertices`, ascending.
std::vector<std::vector<std::int32_t>> surroundings(const std::vector<std::int32_t>& vertices,
                                                    const mesh::Neighbors& neighbors) {
    std::vector<std::vector<std::int32_t>> result;
    for (const std::int32_t v : vertices) {
        std::vector<std::int32_t> reached{v}, front{v};
        for (int ring = 0; ring < neighbor_edges; ++ring) {
            std::vector<std::int32_t> next;
            for (const std::int32_t i : front) {
                for (std::int32_t e = neighbors.start[i]; e < neighbors.start[i + 1]; ++e) {
                    if (std::count(reached.begin(), reached.end(), neighbors.vertex[e])) continue;
                    reached.push_back(neighbors.vertex[e]);
                    next.push_back(neighbors.vertex[e]);
                }
            }
            front = next;
        }
        std::sort(reached.begin(), reached.end());
        result.push_back(reached);
    }
    return result;
}

/// Marks all vertices of faces with a marked vertex, `rounds` times.
std::vector<char> grown(std::vector<char> marked, View<const std::int32_t, 2> faces, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        const std::vector<char> before = marked;
        for (std::int64_t f = 0; f < faces.extent(0); ++f) {
            const std::int32_t* face = faces.row(f);
            const std::int32_t* end = face + mesh::num_corners(face);
            if (!std::any_of(face, end, [&](std::int32_t v) { return before[v]; })) continue;
            std::for_each(face, end, [&](std::int32_t v) { marked[v] = 1; });
        }
    }
    return marked;
}

/// The vertex that a vertex would be paired with.
struct PairedVertex {
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
        return n[3 * i] * n[3 * j] + n[3 * i + 1] * n[3 * j + 1] + n[3 * i + 2] * n[3 * j + 2] < opposed_pair_cosine;
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
std::vector<PairedVertex> partners(const Surface& surface, const float* points, double max_distance) {
    const std::vector<float> normals = surface.normals_of(points);
    const mesh::BoxTree tree = surface.tree.refitted(surface.boxes_of(points));
    std::vector<PairedVertex> result(surface.num_vertices);
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

ContactPatch::ContactPatch(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* points,
                           std::int64_t num_vertices) {
    std::vector<std::int32_t> index(num_vertices, -1);
    std::vector<char> is_contact(num_vertices, 0);
    for (const std::int32_t v : pairs) is_contact[v] = 1;
    const std::vector<char> inside = grown(is_contact, faces, patch_rings);
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        if (!std::any_of(face, face + mesh::num_corners(face), [&](std::int32_t v) { return inside[v]; })) continue;
        mesh::for_each_triangle(face, [&](const mesh::Corners& corners) { triangles_.push_back(corners); });
    }
    for (const auto& triangle : triangles_) {
        for (const std::int32_t v : triangle) index[v] = 0;
    }
    std::vector<std::int32_t> contacts;
    for (std::int32_t v = 0; v < num_vertices; ++v) {
        if (index[v] < 0) continue;
        index[v] = static_cast<std::int32_t>(mesh_vertex_.size());
        if (is_contact[v]) {
            contact_vertices_.push_back(index[v]);
            contacts.push_back(v);
        }
        mesh_vertex_.push_back(v);
    }
    for (auto& triangle : triangles_) {
        for (std::int32_t& v : triangle) v = index[v];
    }
    near_ = surroundings(contacts, mesh::Neighbors(faces, num_vertices));
    for (std::vector<std::int32_t>& near : near_) {
        for (std::int32_t& v : near) v = index[v];  // still ascending; -1, outside the patch, comes first
        near.erase(std::remove(near.begin(), near.end(), -1), near.end());
    }
    std::vector<mesh::Box> boxes;
    const Pose first = pose(points, nullptr);
    for (const auto& triangle : triangles_) boxes.push_back(box(first, triangle));
    tree_ = mesh::BoxTree(std::move(boxes));
}

mesh::Box ContactPatch::box(const Pose& pose, const mesh::Corners& triangle) const {
    mesh::Box box = mesh::Box::empty();
    for (const std::int32_t v : triangle) box.include(pose.point[v].data());
    return box;
}

ContactPatch::Pose ContactPatch::pose(const double* points, const double* offset) const {
    Pose pose;
    for (const std::int32_t v : mesh_vertex_) {
        linalg::Vec3 point;
        for (int i = 0; i < 3; ++i) point[i] = points[3 * v + i] + (offset ? offset[3 * v + i] : 0.0);
        pose.point.push_back(point);
    }
    pose.normal.assign(mesh_vertex_.size(), linalg::Vec3{});
    for (const auto& [a, b, c] : triangles_) {
        const linalg::Vec3 n = cross(pose.point[b] - pose.point[a], pose.point[c] - pose.point[a]);
        for (const std::int32_t v : {a, b, c}) {
            for (int i = 0; i < 3; ++i) pose.normal[v][i] += n[i];
        }
    }
    for (linalg::Vec3& n : pose.normal) {
        const double size = length(n);
        for (int i = 0; i < 3 && size > 0.0; ++i) n[i] /= size;
    }
    return pose;
}

std::vector<ContactPatch::Partner> ContactPatch::partners(const Pose& pose, const std::vector<double>& max_distance,
                                                          const std::vector<char>& moves, Side side) const {
    std::vector<mesh::Box> all;
    std::vector<mesh::Box> moving(triangles_.size(), mesh::Box::empty());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
        const auto& [a, b, c] = triangles_[t];
        all.push_back(box(pose, triangles_[t]));
        if (moves[a] || moves[b] || moves[c]) moving[t] = all.back();
    }
    const mesh::BoxTree tree = tree_.refitted(std::move(all));
    const mesh::BoxTree moving_tree = tree_.refitted(std::move(moving));
    std::vector<Partner> result(contact_vertices_.size());
    for (std::size_t m = 0; m < contact_vertices_.size(); ++m) {
        const auto nearer_partner = [&](std::int32_t triangle, double so_far) {
            return nearer(pose, static_cast<std::int32_t>(m), triangle, side, so_far, &result[m]);
        };
        const mesh::BoxTree& among = moves[contact_vertices_[m]] ? tree : moving_tree;
        among.nearest(pose.point[contact_vertices_[m]].data(), max_distance[m] * max_distance[m], nearer_partner);
    }
    return result;
}

/// Makes a triangle's nearest point the partner if it may be one and its squared distance is below `so_far`. Returns
/// the smaller of the two.
double ContactPatch::nearer(const Pose& pose, std::int32_t contact, std::int32_t triangle, Side side, double so_far,
                            Partner* partner) const {
    const auto& corner = triangles_[triangle];
    const std::vector<std::int32_t>& near = near_[contact];
    for (const std::int32_t v : corner) {
        if (std::binary_search(near.begin(), near.end(), v)) return so_far;
    }
    const linalg::Vec3& point = pose.point[contact_vertices_[contact]];
    const Partner candidate{
        corner, mesh::nearest_weights({pose.point[corner[0]], pose.point[corner[1]], pose.point[corner[2]]}, point)};
    const linalg::Vec3 away = point - at(pose.point, candidate);
    const double squared = dot(away, away);
    if (squared >= so_far) return so_far;
    const linalg::Vec3 normal = at(pose.normal, candidate);
    const double cosine = dot(normal, pose.normal[contact_vertices_[contact]]);
    if (side == Side::opposed && cosine > opposed_cosine * length(normal)) return so_far;
    *partner = candidate;
    return squared;
}

std::vector<double> ContactPatch::edge_lengths(const Pose& pose) const {
    std::vector<double> sum(mesh_vertex_.size(), 0.0);
    std::vector<double> count(mesh_vertex_.size(), 0.0);
    std::vector<double> result;
    for (const auto& triangle : triangles_) {
        for (int c = 0; c < 3; ++c) {
            const std::int32_t a = triangle[c];
            const std::int32_t b = triangle[(c + 1) % 3];
            const double size = length(pose.point[a] - pose.point[b]);
            for (const std::int32_t v : {a, b}) {
                sum[v] += size;
                count[v] += 1.0;
            }
        }
    }
    for (const std::int32_t v : contact_vertices_) result.push_back(sum[v] / count[v]);
    return result;
}

std::vector<std::array<std::int32_t, 2>> find_contacts(View<const float, 3> poses, View<const std::int32_t, 2> faces,
                                                       double max_distance, int threads) {
    const Surface surface(poses, faces);
    std::vector<std::vector<PairedVertex>> found(poses.extent(0));
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p) found[p] = partners(surface, poses.row(p), max_distance);
    });
    std::vector<std::array<std::int32_t, 2>> pairs;
    for (std::int32_t v = 0; v < surface.num_vertices; ++v) {
        PairedVertex nearest;
        for (const std::vector<PairedVertex>& pose : found) {
            if (pose[v].vertex >= 0 && pose[v].distance < nearest.distance) nearest = pose[v];
        }
        if (nearest.vertex >= 0) pairs.push_back({std::min(v, nearest.vertex), std::max(v, nearest.vertex)});
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

}  // namespace rigcast::transfer
