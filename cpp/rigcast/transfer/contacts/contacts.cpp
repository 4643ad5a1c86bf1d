#include "rigcast/transfer/contacts/contacts.h"

#include <algorithm>
#include <cmath>

namespace rigcast::transfer {
namespace {

// Unless a measurement is given, these were chosen, not tuned.

/// Rounds of corrections per shape: each costs a substitution, and they end early when nothing crosses.
constexpr int max_crossing_rounds = 16;
/// More rounds would also match differences between neighboring vertices and fold the surface. Measured on an ICT
/// identity: four rounds flip 76 faces instead of 124 with more, and leave 192 new crossings instead of 212.
constexpr int max_meeting_rounds = 4;
/// Corrections are 0 farther than this many edges from the patch. A wider region costs larger systems, a narrower one
/// bends the surface more.
constexpr int fade_edges = 12;
/// Weight that pulls a correction to 0, beside edge weights of about 1: corrections fade over some ten edges. A larger
/// one keeps them local but bends the surface more.
constexpr double crossing_anchor = 0.01;
/// The same in meetings, of a vertex at rest. Larger, since vertices that move have a much lower one.
constexpr double meeting_anchor = 0.1;
/// Offset, as a share of the region's largest, at which the anchor in meetings has fallen to a half. A smaller one lets
/// corrections reach vertices that the shape hardly moves.
constexpr double half_anchor_offset = 0.05;
/// Gap, in edge lengths, to which crossing surfaces are separated. A larger one shows as a slit, a smaller one needs
/// more rounds until nothing crosses. Meetings end when all displacements are smaller.
constexpr double separated_gap = 0.02;
/// A gap that lacks less than this share of the wanted gap is left alone: saves rounds.
constexpr double ignored_share = 0.25;
/// Offset, in edge lengths, below which a vertex rests. Saves the search for partners among surfaces at rest.
constexpr double resting_offset = 1e-3;
/// Distance, in edge lengths, below which surfaces of the source count as meeting (s < 2 in contacts.h).
constexpr double meeting_distance = 2.0;

double length(const linalg::Vec3& a) {
    return std::hypot(a[0], a[1], a[2]);
}

double distance(const linalg::Vec3& a, const linalg::Vec3& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Marks the vertices within `edges` edges of marked ones, along the sides of elements.
void grow(std::vector<char>* marked, const std::vector<mesh::Element>& elements, int edges) {
    for (int edge = 0; edge < edges; ++edge) {
        std::vector<char> grown = *marked;
        for (const mesh::Element& element : elements) {
            const auto& v = element.vertex;
            const char any = (*marked)[v[0]] | (*marked)[v[1]] | (*marked)[v[2]];
            for (const std::int32_t i : v) grown[i] |= any;
        }
        *marked = grown;
    }
}

}  // namespace

/// One shape while it is corrected: source and target at the patch.
struct Contacts::ShapeState {
    const double* offset;         // (V, 3) of the source
    const double* target_points;  // (V, 3) of the neutral
    double* moved;                // (V, 3) offsets of the target
    ContactPatch::Pose source_neutral;
    ContactPatch::Pose target_neutral;
    ContactPatch::Pose source;
    ContactPatch::Pose target;
    std::vector<char> moves;  // (patch vertices) in the source

    /// The vertex's share of the movement of itself and its partner in the source.
    double share(std::int32_t vertex, const ContactPatch::Partner& partner) const {
        const linalg::Vec3 partner_point = ContactPatch::at(source.point, partner);
        const double of_vertex = distance(source.point[vertex], source_neutral.point[vertex]);
        const double of_partner = distance(partner_point, ContactPatch::at(source_neutral.point, partner));
        return of_vertex + of_partner > 0.0 ? of_vertex / (of_vertex + of_partner) : 0.5;
    }
};

/// A contact vertex that the shape brings near its partner.
struct Contacts::Meeting {
    std::int32_t vertex;  // of the patch
    ContactPatch::Partner partner;
    linalg::Vec3 wanted;  // vector from the partner to the vertex that the target shall have
    double edge_length;
};

/// Sums of displacements asked of patch vertices, and their numbers; `apply` takes the means.
struct Contacts::Displacements {
    explicit Displacements(std::size_t size) : sum(size, linalg::Vec3{}), count(size, 0) {}

    /// Adds scale * change to a vertex.
    void add(std::int32_t vertex, const linalg::Vec3& change, double scale) {
        for (int i = 0; i < 3; ++i) sum[vertex][i] += scale * change[i];
        ++count[vertex];
    }
    /// Moves a vertex by `change` relative to its partner: by the share `share` itself, by the rest the partner.
    void move_apart(std::int32_t vertex, const ContactPatch::Partner& partner, const linalg::Vec3& change,
                    double share) {
        const auto& b = partner.weight;
        const double squared_weights = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
        add(vertex, change, share);
        for (int c = 0; c < 3; ++c) add(partner.corner[c], change, (share - 1.0) * b[c] / squared_weights);
    }
    std::vector<linalg::Vec3> sum;
    std::vector<int> count;
};

Contacts::Contacts(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* target,
                   const std::vector<mesh::Element>& elements, const std::vector<char>& is_fixed, double weight)
    : patch_(pairs, faces, target, static_cast<std::int64_t>(is_fixed.size())),
      weight_(weight),
      edge_length_(patch_.edge_lengths(patch_.pose(target, nullptr))) {
    std::vector<char> inside(is_fixed.size(), 0);
    for (const std::int32_t v : patch_.mesh_vertex()) inside[v] = 1;
    grow(&inside, elements, fade_edges);
    std::vector<std::int32_t> row(is_fixed.size(), -1);
    for (std::size_t v = 0; v < inside.size(); ++v) {
        if (!inside[v] || is_fixed[v]) continue;
        row[v] = static_cast<std::int32_t>(region_.size());
        region_.push_back(static_cast<std::int32_t>(v));
    }
    for (const std::int32_t v : patch_.mesh_vertex()) patch_row_.push_back(row[v]);
    if (region_.empty()) return;
    laplacian_ = mesh::Laplacian(2 * region_.size());
    for (const mesh::Element& element : elements) laplacian_.add(element, row);
    mesh::Laplacian anchored = laplacian_;
    for (const std::int32_t v : region_) anchored.add(row[v], -1, crossing_anchor);
    for (const std::int32_t r : patch_row_) anchored.add(r, -1, weight_);
    crossing_system_ = anchored.factorize(static_cast<std::int64_t>(region_.size()));
}

void Contacts::correct(const double* source, const double* offset, const double* target, double* moved) const {
    if (region_.empty()) return;
    ShapeState state{offset,
                     target,
                     moved,
                     patch_.pose(source, nullptr),
                     patch_.pose(target, nullptr),
                     patch_.pose(source, offset),
                     patch_.pose(target, moved),
                     {}};
    double mean_edge = 0.0;
    for (const double edge : edge_length_) mean_edge += edge / static_cast<double>(edge_length_.size());
    for (std::size_t v = 0; v < patch_.mesh_vertex().size(); ++v) {
        state.moves.push_back(distance(state.source.point[v], state.source_neutral.point[v]) >
                              resting_offset * mean_edge);
    }
    if (std::none_of(state.moves.begin(), state.moves.end(), [](char moves) { return moves; })) return;
    close_meetings(&state);
    separate_crossings(&state);
}

std::vector<Contacts::Meeting> Contacts::find_meetings(const ShapeState& state) const {
    std::vector<double> max_distance = edge_length_;
    for (double& distance : max_distance) distance *= meeting_distance;
    const auto partners = patch_.partners(state.source, max_distance, state.moves, ContactPatch::Side::any);
    std::vector<Meeting> result;
    for (std::size_t m = 0; m < partners.size(); ++m) {
        const ContactPatch::Partner& partner = partners[m];
        const std::int32_t vertex = patch_.contact_vertices()[m];
        // An edge length of 0: all neighbors of the vertex coincide, so that distances there mean nothing.
        if (!partner.found() || !(edge_length_[m] > 0.0)) continue;
        const linalg::Vec3 source = ContactPatch::between(state.source, vertex, partner);
        const double before = length(ContactPatch::between(state.source_neutral, vertex, partner)) / edge_length_[m];
        const double after = length(source) / edge_length_[m];
        const double relative = after / meeting_distance;
        const double share = (1.0 - relative * relative) * std::clamp(0.5 * (before - after - 1.0), 0.0, 1.0);
        if (share <= 0.0) continue;
        linalg::Vec3 wanted = ContactPatch::between(state.target, vertex, partner);
        for (int i = 0; i < 3; ++i) wanted[i] += share * (source[i] - wanted[i]);
        result.push_back({vertex, partner, wanted, edge_length_[m]});
    }
    return result;
}

void Contacts::close_meetings(ShapeState* state) const {
    const std::vector<Meeting> meetings = find_meetings(*state);
    std::unique_ptr<const linalg::SparseCholesky> system;
    for (int round = 0; round < max_meeting_rounds; ++round) {
        Displacements displacements(patch_.mesh_vertex().size());
        double largest = 0.0;  // in edge lengths
        for (const Meeting& meeting : meetings) {
            linalg::Vec3 change = ContactPatch::between(state->target, meeting.vertex, meeting.partner);
            for (int i = 0; i < 3; ++i) change[i] = meeting.wanted[i] - change[i];
            largest = std::max(largest, length(change) / meeting.edge_length);
            displacements.move_apart(meeting.vertex, meeting.partner, change,
                                     state->share(meeting.vertex, meeting.partner));
        }
        if (largest < separated_gap) return;
        if (!system) system = meeting_system(displacements, state->offset);
        if (!system) return;
        apply(*system, displacements, state);
    }
}

/// The system of one shape's meetings: only their vertices are pulled to displacements, and the anchor is that of
/// vertices at rest in the source. Null if the source moves no vertex of the region: all vertices that meet are fixed.
std::unique_ptr<const linalg::SparseCholesky> Contacts::meeting_system(const Displacements& displacements,
                                                                       const double* offset) const {
    const auto distance_moved = [&](std::int32_t v) {
        return length({offset[3 * v], offset[3 * v + 1], offset[3 * v + 2]});
    };
    double most = 0.0;
    for (const std::int32_t v : region_) most = std::max(most, distance_moved(v));
    const double half = half_anchor_offset * most;
    if (!(half > 0.0)) return nullptr;
    mesh::Laplacian laplacian = laplacian_;
    for (std::size_t r = 0; r < region_.size(); ++r) {
        const double relative = distance_moved(region_[r]) / half;
        laplacian.add(static_cast<std::int32_t>(r), -1, meeting_anchor / (1.0 + relative * relative));
    }
    for (std::size_t v = 0; v < displacements.count.size(); ++v) {
        if (displacements.count[v] > 0) laplacian.add(patch_row_[v], -1, weight_);
    }
    return laplacian.factorize(static_cast<std::int64_t>(region_.size()));
}

void Contacts::separate_crossings(ShapeState* state) const {
    for (int round = 0; round < max_crossing_rounds; ++round) {
        const auto partners = patch_.partners(state->target, edge_length_, state->moves, ContactPatch::Side::opposed);
        Displacements displacements(patch_.mesh_vertex().size());
        bool any = false;
        for (std::size_t m = 0; m < partners.size(); ++m) {
            if (!partners[m].found()) continue;
            const std::int32_t vertex = patch_.contact_vertices()[m];
            const linalg::Vec3 change = separation(*state, m, partners[m]);
            if (change == linalg::Vec3{}) continue;
            displacements.move_apart(vertex, partners[m], change, state->share(vertex, partners[m]));
            any = true;
        }
        if (!any) return;
        apply(*crossing_system_, displacements, state);
    }
}

/// The displacement of contact vertex number `contact` relative to its partner that separates them. 0 if they do not
/// cross, or if they cross in the source or a neutral.
linalg::Vec3 Contacts::separation(const ShapeState& state, std::size_t contact,
                                  const ContactPatch::Partner& partner) const {
    const std::int32_t vertex = patch_.contact_vertices()[contact];
    const double source = ContactPatch::gap(state.source, vertex, partner);
    const double neutral = std::min(ContactPatch::gap(state.source_neutral, vertex, partner),
                                    ContactPatch::gap(state.target_neutral, vertex, partner));
    if (!(source > 0.0 && neutral > 0.0)) return {};
    linalg::Vec3 normal;
    const double wanted = std::min(source, separated_gap * edge_length_[contact]);
    const double missing = wanted - ContactPatch::gap(state.target, vertex, partner, &normal);
    if (missing < ignored_share * wanted) return {};
    for (double& x : normal) x *= missing;
    return normal;
}

/// Solves for the correction that follows the displacements and adds it to the shape.
void Contacts::apply(const linalg::SparseCholesky& system, const Displacements& displacements,
                     ShapeState* state) const {
    std::vector<double> rhs(3 * region_.size(), 0.0);
    for (std::size_t v = 0; v < displacements.sum.size(); ++v) {
        if (displacements.count[v] == 0 || patch_row_[v] < 0) continue;
        for (int i = 0; i < 3; ++i) {
            rhs[3 * patch_row_[v] + i] = weight_ * displacements.sum[v][i] / displacements.count[v];
        }
    }
    const View<double, 2> solution(rhs.data(), {static_cast<std::int64_t>(region_.size()), 3});
    system.solve(solution, solution, 1);
    for (std::size_t r = 0; r < region_.size(); ++r) {
        for (int i = 0; i < 3; ++i) state->moved[3 * region_[r] + i] += rhs[3 * r + i];
    }
    state->target = patch_.pose(state->target_points, state->moved);
}

}  // namespace rigcast::transfer
