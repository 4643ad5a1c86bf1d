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

double dot(const mesh::Vector& a, const mesh::Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

mesh::Vector minus(const mesh::Vector& a, const mesh::Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

mesh::Vector cross(const mesh::Vector& a, const mesh::Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double distance(const mesh::Vector& a, const mesh::Vector& b) {
    const mesh::Vector d = minus(a, b);
    return std::sqrt(dot(d, d));
}

/// Vertices within `rings` edges of each of `vertices`, ascending.
std::vector<std::vector<std::int32_t>> surroundings(const std::vector<std::int32_t>& vertices,
                                                    const mesh::Neighbours& neighbours) {
    std::vector<std::vector<std::int32_t>> result;
    for (const std::int32_t v : vertices) {
        std::vector<std::int32_t> reached{v}, front{v};
        for (int ring = 0; ring < rings; ++ring) {
            std::vector<std::int32_t> next;
            for (const std::int32_t i : front) {
                for (std::int32_t e = neighbours.start[i]; e < neighbours.start[i + 1]; ++e) {
                    if (std::count(reached.begin(), reached.end(), neighbours.vertex[e])) continue;
                    reached.push_back(neighbours.vertex[e]);
                    next.push_back(neighbours.vertex[e]);
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
        const int corners = mesh::num_corners(face);
        if (!std::any_of(face, face + corners, [&](std::int32_t v) { return inside[v]; })) continue;
        for (int t = 1; t + 1 < corners; ++t) triangles_.push_back({face[0], face[t], face[t + 1]});
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
    near_ = surroundings(members, mesh::Neighbours(faces, num_vertices));
    for (std::vector<std::int32_t>& near : near_) {
        for (std::int32_t& v : near) v = index[v];  // ascending still, -1 outside the patch first
        near.erase(std::remove(near.begin(), near.end(), -1), near.end());
    }
    std::vector<mesh::Box> boxes;
    const Pose first = pose(points, nullptr);
    for (const auto& triangle : triangles_) boxes.push_back(box(first, triangle));
    tree_ = mesh::BoxTree(std::move(boxes));
}

mesh::Box ContactPatch::box(const Pose& pose, const std::array<std::int32_t, 3>& triangle) const {
    mesh::Box box = mesh::Box::empty();
    for (const std::int32_t v : triangle) box.include(pose.point[v].data());
    return box;
}

ContactPatch::Pose ContactPatch::pose(const double* points, const double* offset) const {
    Pose pose;
    for (const std::int32_t v : vertex_) {
        mesh::Vector point;
        for (int i = 0; i < 3; ++i) point[i] = points[3 * v + i] + (offset ? offset[3 * v + i] : 0.0);
        pose.point.push_back(point);
    }
    pose.normal.assign(vertex_.size(), mesh::Vector{});
    for (const auto& [a, b, c] : triangles_) {
        const mesh::Vector n = cross(minus(pose.point[b], pose.point[a]), minus(pose.point[c], pose.point[a]));
        for (const std::int32_t v : {a, b, c}) {
            for (int i = 0; i < 3; ++i) pose.normal[v][i] += n[i];
        }
    }
    for (mesh::Vector& n : pose.normal) {
        const double length = std::sqrt(dot(n, n));
        for (int i = 0; i < 3 && length > 0.0; ++i) n[i] /= length;
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
    const mesh::Vector& point = pose.point[members_[m]];
    const Partner candidate{
        corner, mesh::nearest_weights({pose.point[corner[0]], pose.point[corner[1]], pose.point[corner[2]]}, point)};
    const mesh::Vector away = minus(point, at(pose.point, candidate));
    const double squared = dot(away, away);
    if (squared >= so_far) return so_far;
    const mesh::Vector normal = at(pose.normal, candidate);
    const double cosine = dot(normal, pose.normal[members_[m]]);
    if (side == Side::opposed && cosine > opposed * std::sqrt(dot(normal, normal))) return so_far;
    *partner = candidate;
    return squared;
}

std::vector<double> ContactPatch::edge_lengths(const Pose& pose) const {
    std::vector<double> sum(vertex_.size(), 0.0), count(vertex_.size(), 0.0), result;
    for (const auto& triangle : triangles_) {
        for (int c = 0; c < 3; ++c) {
            const std::int32_t a = triangle[c], b = triangle[(c + 1) % 3];
            const double length = distance(pose.point[a], pose.point[b]);
            for (const std::int32_t v : {a, b}) {
                sum[v] += length;
                count[v] += 1.0;
            }
        }
    }
    for (const std::int32_t v : members_) result.push_back(sum[v] / count[v]);
    return result;
}

mesh::Vector ContactPatch::at(const std::vector<mesh::Vector>& values, const Partner& partner) {
    mesh::Vector result{};
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 3; ++i) result[i] += partner.weight[c] * values[partner.corner[c]][i];
    }
    return result;
}

mesh::Vector ContactPatch::between(const Pose& pose, std::int32_t member, const Partner& partner) {
    return minus(pose.point[member], at(pose.point, partner));
}

double ContactPatch::gap(const Pose& pose, std::int32_t member, const Partner& partner, mesh::Vector* normal) {
    mesh::Vector n = at(pose.normal, partner);
    const double length = std::sqrt(dot(n, n));
    for (int i = 0; i < 3 && length > 0.0; ++i) n[i] /= length;
    if (normal) *normal = n;
    return dot(n, between(pose, member, partner));
}

}  // namespace rigwright::transfer
