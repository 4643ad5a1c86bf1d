#include <algorithm>
#include <cmath>

#include "rigcast/mesh/search/closest_points.h"
#include "rigcast/mesh/topology.h"
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

linalg::Vec3 ContactPatch::at(const std::vector<linalg::Vec3>& values, const Partner& partner) {
    linalg::Vec3 result{};
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 3; ++i) result[i] += partner.weight[c] * values[partner.corner[c]][i];
    }
    return result;
}

linalg::Vec3 ContactPatch::between(const Pose& pose, std::int32_t vertex, const Partner& partner) {
    return pose.point[vertex] - at(pose.point, partner);
}

double ContactPatch::gap(const Pose& pose, std::int32_t vertex, const Partner& partner, linalg::Vec3* normal) {
    linalg::Vec3 n = at(pose.normal, partner);
    const double size = length(n);
    for (int i = 0; i < 3 && size > 0.0; ++i) n[i] /= size;
    if (normal) *normal = n;
    return dot(n, between(pose, vertex, partner));
}

}  // namespace rigcast::transfer
