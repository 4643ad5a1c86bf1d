#include "transfer/contacts.h"

#include <algorithm>
#include <cmath>

#include "transfer/laplacian.h"

namespace rigwright::transfer {
namespace {

constexpr int rounds = 16;
constexpr int fading = 12;       // edges from the patch, beyond which nothing is corrected
constexpr double anchor = 0.01;  // beside edge weights of about 1: corrections fade over some ten edges
constexpr double margin = 0.02;  // of the edges: a gap that crossing surfaces are pushed apart to
constexpr double apart = 3.0;    // of the edges: farther than this the source's neutral is open
constexpr double closed = 0.3;   // of the edges: a source's gap below it closes

/// Marks what is within `edges` edges of the marked, along the sides of elements.
void grow(std::vector<char>* marked, const std::vector<Element>& elements, int edges) {
    for (int edge = 0; edge < edges; ++edge) {
        std::vector<char> grown = *marked;
        for (const Element& element : elements) {
            const auto& v = element.vertex;
            const char any = (*marked)[v[0]] | (*marked)[v[1]] | (*marked)[v[2]];
            for (const std::int32_t i : v) grown[i] |= any;
        }
        *marked = grown;
    }
}

}  // namespace

/// What a round looks at.
struct Contacts::Situation {
    ContactPatch::Pose source_neutral, target_neutral, source, target;
};

/// Displacements that are asked of patch vertices, and how often.
struct Contacts::Demands {
    explicit Demands(std::size_t size) : sum(size, Vector{}), count(size, 0) {}

    void add(std::int32_t v, const Vector& normal, double length) {
        for (int i = 0; i < 3; ++i) sum[v][i] += length * normal[i];
        ++count[v];
    }
    /// Opens a gap by `change`: both sides move by half.
    void open(std::int32_t member, const ContactPatch::Partner& partner, const Vector& normal, double change) {
        const auto& b = partner.weight;
        const double spread = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
        add(member, normal, 0.5 * change);
        for (int c = 0; c < 3; ++c) add(partner.corner[c], normal, -0.5 * change * b[c] / spread);
    }
    std::vector<Vector> sum;
    std::vector<int> count;
};

Contacts::Contacts(View<const std::int32_t, 2> pairs, View<const std::int32_t, 2> faces, const double* target,
                   const std::vector<Element>& elements, const std::vector<char>& is_fixed, double weight)
    : patch_(pairs, faces, static_cast<std::int64_t>(is_fixed.size())),
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
    Laplacian laplacian(2 * region_.size());
    for (const Element& element : elements) laplacian.add(element, row);
    for (const std::int32_t v : region_) laplacian.add(row[v], -1, anchor);
    for (const std::int32_t r : patch_row_) laplacian.add(r, -1, weight_);
    cholesky_ = laplacian.factor(static_cast<std::int64_t>(region_.size()));
}

void Contacts::meet(const double* source, const double* offset, const double* target, double* moved) const {
    const auto rests = [&](std::int32_t v) {
        const double* d = offset + 3 * patch_.vertex()[v];
        return d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0;
    };
    Situation now{patch_.pose(source, nullptr), patch_.pose(target, nullptr), patch_.pose(source, offset), {}};
    const std::vector<ContactPatch::Partner> touched = patch_.partners(now.source, reach_);
    for (int round = 0; round < rounds; ++round) {
        now.target = patch_.pose(target, moved);
        const std::vector<ContactPatch::Partner> faced = patch_.partners(now.target, reach_);
        Demands demands(patch_.vertex().size());
        for (std::size_t m = 0; m < touched.size(); ++m) {
            const std::int32_t member = patch_.members()[m];
            for (const auto* partner : {&faced[m], &touched[m]}) {
                const auto& corner = partner->corner;
                if (!partner->found() || (rests(member) && std::all_of(corner.begin(), corner.end(), rests))) continue;
                Vector normal;
                const double gap = ContactPatch::gap(now.target, member, *partner, &normal);
                const double change =
                    partner == &faced[m] ? crossing(now, m, *partner, gap) : touching(now, m, *partner, gap);
                if (change != 0.0) demands.open(member, *partner, normal, change);
            }
        }
        if (!correct(demands, moved)) return;
    }
}

double Contacts::crossing(const Situation& now, std::size_t m, const ContactPatch::Partner& partner, double gap) const {
    const std::int32_t member = patch_.members()[m];
    const double source = ContactPatch::gap(now.source, member, partner);
    const double before = std::min(ContactPatch::gap(now.source_neutral, member, partner),
                                   ContactPatch::gap(now.target_neutral, member, partner));
    if (!(source > 0.0 && before > 0.0)) return 0.0;
    return std::max(0.0, std::min(source, margin * reach_[m]) - gap);
}

double Contacts::touching(const Situation& now, std::size_t m, const ContactPatch::Partner& partner, double gap) const {
    const std::int32_t member = patch_.members()[m];
    const double source = ContactPatch::gap(now.source, member, partner), limit = closed * reach_[m];
    const bool closes = source >= 0.0 && source < limit &&
                        ContactPatch::separation(now.source_neutral, member, partner) > apart * reach_[m];
    return closes && gap > source ? (1.0 - source / limit) * (source - gap) : 0.0;
}

/// Whether there was anything to correct.
bool Contacts::correct(const Demands& demands, double* moved) const {
    std::vector<double> rhs(3 * region_.size(), 0.0);
    bool any = false;
    for (std::size_t v = 0; v < demands.sum.size(); ++v) {
        if (demands.count[v] == 0 || patch_row_[v] < 0) continue;
        any = true;
        for (int i = 0; i < 3; ++i) rhs[3 * patch_row_[v] + i] = weight_ * demands.sum[v][i] / demands.count[v];
    }
    if (!any) return false;
    const View<double, 2> system(rhs.data(), {static_cast<std::int64_t>(region_.size()), 3});
    cholesky_->solve(system, system, 1);
    for (std::size_t r = 0; r < region_.size(); ++r) {
        for (int i = 0; i < 3; ++i) moved[3 * region_[r] + i] += rhs[3 * r + i];
    }
    return true;
}

}  // namespace rigwright::transfer
