#include "rigwright/transfer/contacts/patch.h"

#include <algorithm>
#include <cmath>

#include "rigwright/mesh/search/closest_points.h"
#include "rigwright/mesh/topology.h"

namespace rigwright::transfer {
namespace {

constexpr double opposed = -0.3;  // cosine between normals of surfaces that face each other
constexpr int rings = 3;          // vertices this near along the surface are its own shape, not a contact
constexpr int breadth = 2;        // rings around the vertices of pairs whose triangles belong to the patch

/// Vertices within `rings` edges of each of `vertices`, ascending.
std::vector<std::vector<std::int32_t>> surroundings(const std::vector<std::int32_t>& vertices,
                                                    const mesh::Neighbors& neighbors) {
    std::vector<std::vector<std::int32_t>> result;
    for (const std::int32_t v : vertices) {
        std::vector<std::int32_t> reached{v}, front{v};
        for (int ring = 0; ring < rings; ++ring) {
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

/// The marked vertices and those of faces that reach them, `rounds` times.
std::vector<char> grown(std::vector<char> marked, View<const std::int32_t, 2> faces, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        const std::vector<char> before = marked;
        for (std::int64_t f = 0; f < faces.extent(0); ++f) {
            const std::int32_t *face = faces.row(f), *end = face + mesh::num_corners(face);
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
    std::vector<char> is_member(num_vertices, 0);
    for (const std::int32_t v : pairs) is_member[v] = 1;
    const std::vector<char> inside = grown(is_member, faces, breadth);
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        if (!std::any_of(face, face + mesh::num_corners(face), [&](std::int32_t v) { return inside[v]; })) continue;
        mesh::for_each_triangle(face, [&](const mesh::Corners& corners) { triangles_.push_back(corners); });
    }
    for (const auto& triangle : triangles_) {
        for (const std::int32_t v : triangle) index[v] = 0;
    }
    std::vector<std::int32_t> members;
    for (std::int32_t v = 0; v < num_vertices; ++v) {
        if (index[v] < 0) continue;
        index[v] = static_cast<std::int32_t>(vertex_.size());
        if (is_member[v]) {
            members_.push_back(index[v]);
            members.push_back(v);
        }
        vertex_.push_back(v);
    }
    for (auto& triangle : triangles_) {
        for (std::int32_t& v : triangle) v = index[v];
    }
    near_ = surroundings(members, mesh::Neighbors(faces, num_vertices));
    for (std::vector<std::int32_t>& near : near_) {
        for (std::int32_t& v : near) v = index[v];  // ascending still, -1 outside the patch first
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
    for (const std::int32_t v : vertex_) {
        linalg::Vec3 point;
        for (int i = 0; i < 3; ++i) point[i] = points[3 * v + i] + (offset ? offset[3 * v + i] : 0.0);
        pose.point.push_back(point);
    }
    pose.normal.assign(vertex_.size(), linalg::Vec3{});
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

std::vector<ContactPatch::Partner> ContactPatch::partners(const Pose& pose, const std::vector<double>& reach,
                                                          const std::vector<char>& moves, Side side) const {
    std::vector<mesh::Box> all, moving(triangles_.size(), mesh::Box::empty());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
        const auto& [a, b, c] = triangles_[t];
        all.push_back(box(pose, triangles_[t]));
        if (moves[a] || moves[b] || moves[c]) moving[t] = all.back();
    }
    const mesh::BoxTree tree = tree_.refitted(std::move(all)), moving_tree = tree_.refitted(std::move(moving));
    std::vector<Partner> result(members_.size());
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const auto nearer = [&](std::int32_t triangle, double so_far) {
            return closest(pose, static_cast<std::int32_t>(m), triangle, side, so_far, &result[m]);
        };
        const mesh::BoxTree& among = moves[members_[m]] ? tree : moving_tree;
        among.nearest(pose.point[members_[m]].data(), reach[m] * reach[m], nearer);
    }
    return result;
}

/// Takes a triangle's nearest point as the partner where it is nearer than `so_far`, squared, and may be one.
double ContactPatch::closest(const Pose& pose, std::int32_t m, std::int32_t triangle, Side side, double so_far,
                             Partner* partner) const {
    const auto& corner = triangles_[triangle];
    const std::vector<std::int32_t>& near = near_[m];
    for (const std::int32_t v : corner) {
        if (std::binary_search(near.begin(), near.end(), v)) return so_far;
    }
    const linalg::Vec3& point = pose.point[members_[m]];
    const Partner candidate{
        corner, mesh::nearest_weights({pose.point[corner[0]], pose.point[corner[1]], pose.point[corner[2]]}, point)};
    const linalg::Vec3 away = point - at(pose.point, candidate);
    const double squared = dot(away, away);
    if (squared >= so_far) return so_far;
    const linalg::Vec3 normal = at(pose.normal, candidate);
    const double cosine = dot(normal, pose.normal[members_[m]]);
    if (side == Side::opposed && cosine > opposed * length(normal)) return so_far;
    *partner = candidate;
    return squared;
}

std::vector<double> ContactPatch::edge_lengths(const Pose& pose) const {
    std::vector<double> sum(vertex_.size(), 0.0), count(vertex_.size(), 0.0), result;
    for (const auto& triangle : triangles_) {
        for (int c = 0; c < 3; ++c) {
            const std::int32_t a = triangle[c], b = triangle[(c + 1) % 3];
            const double size = length(pose.point[a] - pose.point[b]);
            for (const std::int32_t v : {a, b}) {
                sum[v] += size;
                count[v] += 1.0;
            }
        }
    }
    for (const std::int32_t v : members_) result.push_back(sum[v] / count[v]);
    return result;
}

linalg::Vec3 ContactPatch::at(const std::vector<linalg::Vec3>& values, const Partner& partner) {
    linalg::Vec3 result{};
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 3; ++i) result[i] += partner.weight[c] * values[partner.corner[c]][i];
    }
    return result;
}

linalg::Vec3 ContactPatch::between(const Pose& pose, std::int32_t member, const Partner& partner) {
    return pose.point[member] - at(pose.point, partner);
}

double ContactPatch::gap(const Pose& pose, std::int32_t member, const Partner& partner, linalg::Vec3* normal) {
    linalg::Vec3 n = at(pose.normal, partner);
    const double size = length(n);
    for (int i = 0; i < 3 && size > 0.0; ++i) n[i] /= size;
    if (normal) *normal = n;
    return dot(n, between(pose, member, partner));
}

}  // namespace rigwright::transfer
