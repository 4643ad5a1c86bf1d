#include "rigwright/transfer/contacts/contacts.h"

#include <algorithm>
#include <cmath>

namespace rigwright::transfer {
namespace {

constexpr int rounds = 16;
constexpr int meeting_rounds = 4;      // more would follow differences between neighbors too, and fold the surface
constexpr int fading = 12;             // edges from the patch, beyond which nothing is corrected
constexpr double anchor = 0.01;        // beside edge weights of about 1: corrections fade over some ten edges
constexpr double resting = 0.1;        // the anchor of what rests, in meetings
constexpr double moving = 0.05;        // of the largest offset: where the anchor has fallen to a half
constexpr double margin = 0.02;        // of the edges: a gap that crossing surfaces are pushed apart to
constexpr double enough = 0.25;        // of the margin: what is left is not worth another round
constexpr double stillness = 1e-3;     // of the edges: what moves less rests
constexpr double meeting_reach = 2.0;  // of the edges: what comes nearer meets

double length(const linalg::Vec3& a) {
    return std::hypot(a[0], a[1], a[2]);
}

double distance(const linalg::Vec3& a, const linalg::Vec3& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Marks what is within `edges` edges of the marked, along the sides of elements.
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

/// What a round looks at, and what it corrects.
struct Contacts::Situation {
    const double *offset, *target_points;
    double* moved;
    ContactPatch::Pose source_neutral, target_neutral, source, target;
    std::vector<char> moves;  // patch vertices, in the source

    /// How much of what a member and its partner move in the source is the member's.
    double share(std::int32_t member, const ContactPatch::Partner& partner) const {
        const linalg::Vec3 now = ContactPatch::at(source.point, partner);
        const double own = distance(source.point[member], source_neutral.point[member]);
        const double other = distance(now, ContactPatch::at(source_neutral.point, partner));
        return own + other > 0.0 ? own / (own + other) : 0.5;
    }
};

/// A member that comes together with its partner, and from where it is to be seen there.
struct Contacts::Meeting {
    std::int32_t member;
    ContactPatch::Partner partner;
    linalg::Vec3 wanted;  // from the partner to the member
    double reach;
};

/// Displacements that are asked of patch vertices, and how often.
struct Contacts::Demands {
    explicit Demands(std::size_t size) : sum(size, linalg::Vec3{}), count(size, 0) {}

    void add(std::int32_t v, const linalg::Vec3& change, double part) {
        for (int i = 0; i < 3; ++i) sum[v][i] += part * change[i];
        ++count[v];
    }
    /// Moves a member by `change` relative to its partner: `share` of it is the member's.
    void move(std::int32_t member, const ContactPatch::Partner& partner, const linalg::Vec3& change, double share) {
        const auto& b = partner.weight;
        const double spread = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
        add(member, change, share);
        for (int c = 0; c < 3; ++c) add(partner.corner[c], change, (share - 1.0) * b[c] / spread);
    }
    std::vector<linalg::Vec3> sum;
    std::vector<int> count;
};

Contacts::Contacts(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* target,
                   const std::vector<mesh::Element>& elements, const std::vector<char>& is_fixed, double weight)
    : patch_(pairs, faces, target, static_cast<std::int64_t>(is_fixed.size())),
      weight_(weight),
      reach_(patch_.edge_lengths(patch_.pose(target, nullptr))) {
    std::vector<char> inside(is_fixed.size(), 0);
    for (const std::int32_t v : patch_.vertex()) inside[v] = 1;
    grow(&inside, elements, fading);
    std::vector<std::int32_t> row(is_fixed.size(), -1);
    for (std::size_t v = 0; v < inside.size(); ++v) {
        if (!inside[v] || is_fixed[v]) continue;
        row[v] = static_cast<std::int32_t>(region_.size());
        region_.push_back(static_cast<std::int32_t>(v));
    }
    for (const std::int32_t v : patch_.vertex()) patch_row_.push_back(row[v]);
    if (region_.empty()) return;
    laplacian_ = mesh::Laplacian(2 * region_.size());
    for (const mesh::Element& element : elements) laplacian_.add(element, row);
    mesh::Laplacian held = laplacian_;
    for (const std::int32_t v : region_) held.add(row[v], -1, anchor);
    for (const std::int32_t r : patch_row_) held.add(r, -1, weight_);
    crossing_system_ = held.factorize(static_cast<std::int64_t>(region_.size()));
}

void Contacts::meet(const double* source, const double* offset, const double* target, double* moved) const {
    if (region_.empty()) return;
    Situation now{offset,
                  target,
                  moved,
                  patch_.pose(source, nullptr),
                  patch_.pose(target, nullptr),
                  patch_.pose(source, offset),
                  patch_.pose(target, moved),
                  {}};
    double edges = 0.0;
    for (const double r : reach_) edges += r / static_cast<double>(reach_.size());
    for (std::size_t v = 0; v < patch_.vertex().size(); ++v) {
        now.moves.push_back(distance(now.source.point[v], now.source_neutral.point[v]) > stillness * edges);
    }
    if (std::none_of(now.moves.begin(), now.moves.end(), [](char moves) { return moves; })) return;
    keep_meetings(&now);
    part_crossings(&now);
}

std::vector<Contacts::Meeting> Contacts::meetings(const Situation& now) const {
    std::vector<double> reach = reach_;
    for (double& r : reach) r *= meeting_reach;
    const auto partners = patch_.partners(now.source, reach, now.moves, ContactPatch::Side::any);
    std::vector<Meeting> result;
    for (std::size_t m = 0; m < partners.size(); ++m) {
        const ContactPatch::Partner& partner = partners[m];
        const std::int32_t member = patch_.members()[m];
        // Without reach all the member's neighbors lie in one point of the source: it tells no distances there.
        if (!partner.found() || !(reach_[m] > 0.0)) continue;
        const linalg::Vec3 source = ContactPatch::between(now.source, member, partner);
        const double before = length(ContactPatch::between(now.source_neutral, member, partner)) / reach_[m];
        const double after = length(source) / reach_[m], far = after / meeting_reach;
        const double part = (1.0 - far * far) * std::clamp(0.5 * (before - after - 1.0), 0.0, 1.0);
        if (part <= 0.0) continue;
        linalg::Vec3 wanted = ContactPatch::between(now.target, member, partner);
        for (int i = 0; i < 3; ++i) wanted[i] += part * (source[i] - wanted[i]);
        result.push_back({member, partner, wanted, reach_[m]});
    }
    return result;
}

void Contacts::keep_meetings(Situation* now) const {
    const std::vector<Meeting> met = meetings(*now);
    std::unique_ptr<const linalg::SparseCholesky> system;
    for (int round = 0; round < meeting_rounds; ++round) {
        Demands demands(patch_.vertex().size());
        double most = 0.0;
        for (const Meeting& meeting : met) {
            linalg::Vec3 change = ContactPatch::between(now->target, meeting.member, meeting.partner);
            for (int i = 0; i < 3; ++i) change[i] = meeting.wanted[i] - change[i];
            most = std::max(most, length(change) / meeting.reach);
            demands.move(meeting.member, meeting.partner, change, now->share(meeting.member, meeting.partner));
        }
        if (most < margin) return;
        if (!system) system = meeting_system(demands, now->offset);
        if (!system) return;
        correct(*system, demands, now);
    }
}

/// The system of what one shape's meetings ask: their vertices alone, anchored where the source rests. None if the
/// source moves nothing of the region: what meets is fixed then.
std::unique_ptr<const linalg::SparseCholesky> Contacts::meeting_system(const Demands& demands,
                                                                       const double* offset) const {
    const auto moved = [&](std::int32_t v) { return length({offset[3 * v], offset[3 * v + 1], offset[3 * v + 2]}); };
    double most = 0.0;
    for (const std::int32_t v : region_) most = std::max(most, moved(v));
    const double half = moving * most;
    if (!(half > 0.0)) return nullptr;
    mesh::Laplacian laplacian = laplacian_;
    for (std::size_t r = 0; r < region_.size(); ++r) {
        const double relative = moved(region_[r]) / half;
        laplacian.add(static_cast<std::int32_t>(r), -1, resting / (1.0 + relative * relative));
    }
    for (std::size_t v = 0; v < demands.count.size(); ++v) {
        if (demands.count[v] > 0) laplacian.add(patch_row_[v], -1, weight_);
    }
    return laplacian.factorize(static_cast<std::int64_t>(region_.size()));
}

void Contacts::part_crossings(Situation* now) const {
    for (int round = 0; round < rounds; ++round) {
        const auto faced = patch_.partners(now->target, reach_, now->moves, ContactPatch::Side::opposed);
        Demands demands(patch_.vertex().size());
        bool any = false;
        for (std::size_t m = 0; m < faced.size(); ++m) {
            if (!faced[m].found()) continue;
            const std::int32_t member = patch_.members()[m];
            const linalg::Vec3 change = crossing(*now, m, faced[m]);
            if (change == linalg::Vec3{}) continue;
            demands.move(member, faced[m], change, now->share(member, faced[m]));
            any = true;
        }
        if (!any) return;
        correct(*crossing_system_, demands, now);
    }
}

/// How a member is to be parted from what it faces; 0 where that is as it should be.
linalg::Vec3 Contacts::crossing(const Situation& now, std::size_t m, const ContactPatch::Partner& partner) const {
    const std::int32_t member = patch_.members()[m];
    const double source = ContactPatch::gap(now.source, member, partner);
    const double before = std::min(ContactPatch::gap(now.source_neutral, member, partner),
                                   ContactPatch::gap(now.target_neutral, member, partner));
    if (!(source > 0.0 && before > 0.0)) return {};
    linalg::Vec3 normal;
    const double wanted = std::min(source, margin * reach_[m]);
    const double missing = wanted - ContactPatch::gap(now.target, member, partner, &normal);
    if (missing < enough * wanted) return {};
    for (double& x : normal) x *= missing;
    return normal;
}

void Contacts::correct(const linalg::SparseCholesky& system, const Demands& demands, Situation* now) const {
    std::vector<double> rhs(3 * region_.size(), 0.0);
    for (std::size_t v = 0; v < demands.sum.size(); ++v) {
        if (demands.count[v] == 0 || patch_row_[v] < 0) continue;
        for (int i = 0; i < 3; ++i) rhs[3 * patch_row_[v] + i] = weight_ * demands.sum[v][i] / demands.count[v];
    }
    const View<double, 2> solution(rhs.data(), {static_cast<std::int64_t>(region_.size()), 3});
    system.solve(solution, solution, 1);
    for (std::size_t r = 0; r < region_.size(); ++r) {
        for (int i = 0; i < 3; ++i) now->moved[3 * region_[r] + i] += rhs[3 * r + i];
    }
    now->target = patch_.pose(now->target_points, now->moved);
}

}  // namespace rigwright::transfer
