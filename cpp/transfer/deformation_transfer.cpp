#include "transfer/deformation_transfer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/check.h"
#include "core/parallel.h"
#include "mesh/topology.h"
#include "transfer/laplacian.h"

namespace rigwright::transfer {
namespace {

constexpr const char* name = "DeformationTransfer";
constexpr std::int64_t block = 16;  // shapes whose right-hand sides are held at a time

void check_vertex(const char* argument, std::int32_t vertex, std::int64_t num_vertices) {
    if (vertex < 0 || vertex >= num_vertices) {
        throw bad_argument(name, argument, std::to_string(vertex) + " somewhere",
                           "vertex indices below " + std::to_string(num_vertices));
    }
}

void check(View<const float, 2> source, View<const float, 2> target, View<const std::int32_t, 2> faces,
           View<const std::int32_t, 1> fixed, View<const std::int32_t, 2> contacts, double contact_weight) {
    check_shape<const float, 2>(name, "source_neutral", source, {-1, 3});
    check_shape<const float, 2>(name, "target_neutral", target, {source.extent(0), 3});
    if (source.extent(0) == 0) throw bad_argument(name, "source_neutral", "(0, 3)", "at least one vertex");
    check_finite(name, "source_neutral", source);
    check_finite(name, "target_neutral", target);
    mesh::check_faces(name, faces, source.extent(0));
    for (const std::int32_t v : fixed) check_vertex("fixed", v, source.extent(0));
    check_shape<const std::int32_t, 2>(name, "contacts", contacts, {-1, 2});
    for (const std::int32_t v : contacts) check_vertex("contacts", v, source.extent(0));
    for (std::int64_t p = 0; p < contacts.extent(0); ++p) {
        if (contacts(p, 0) == contacts(p, 1)) {
            throw bad_argument(name, "contacts", "vertex " + std::to_string(contacts(p, 0)) + " with itself",
                               "pairs of two vertices");
        }
    }
    if (!(contact_weight > 0.0) || !std::isfinite(contact_weight)) {
        throw bad_argument(name, "contact_weight", std::to_string(contact_weight), "above 0 and finite");
    }
}

std::vector<Triangle> without_degenerate(View<const std::int32_t, 2> faces, const std::vector<double>& source,
                                         const std::vector<double>& target, std::vector<std::int32_t>* degenerate) {
    std::vector<Triangle> kept;
    for (const Triangle& triangle : triangulate(faces)) {
        if (!is_degenerate(triangle, source.data()) && !is_degenerate(triangle, target.data())) {
            kept.push_back(triangle);
        } else if (degenerate->empty() || degenerate->back() != triangle.face) {
            degenerate->push_back(triangle.face);
        }
    }
    return kept;
}

}  // namespace

DeformationTransfer::DeformationTransfer(View<const float, 2> source_neutral, View<const float, 2> target_neutral,
                                         View<const std::int32_t, 2> faces, View<const std::int32_t, 1> fixed,
                                         View<const std::int32_t, 2> contacts, double contact_weight)
    : source_(source_neutral.begin(), source_neutral.end()),
      target_(target_neutral.begin(), target_neutral.end()),
      target_neutral_(target_neutral.begin(), target_neutral.end()),
      components_({}, 0),
      source_neutral_(source_neutral.begin(), source_neutral.end()),
      index_(source_neutral.extent(0), 0) {
    check(source_neutral, target_neutral, faces, fixed, contacts, contact_weight);
    std::vector<Triangle> triangles = without_degenerate(faces, source_, target_, &degenerate_faces_);
    components_ = Components(triangles, num_vertices());
    similarity_ = fit_similarities(components_, source_neutral, target_neutral);
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const Vector placed =
            similarity_[components_.of[v]].apply({source_[3 * v], source_[3 * v + 1], source_[3 * v + 2]});
        std::copy(placed.begin(), placed.end(), source_.begin() + 3 * v);
    }
    for (const Triangle& triangle : triangles) {
        elements_.push_back(make_element(triangle, source_.data(), target_.data()));
    }
    std::vector<char> is_fixed(num_vertices(), 0);
    for (const std::int32_t v : fixed) is_fixed[v] = 1;
    factorise(is_fixed);
    if (contacts.extent(0) == 0) return;
    contacts_ = std::make_unique<Contacts>(contacts, faces, target_.data(), elements_, is_fixed, contact_weight);
}

void DeformationTransfer::factorise(const std::vector<char>& is_fixed) {
    is_held_.assign(components_.count, 0);
    for (std::int64_t v = 0; v < num_vertices(); ++v) is_held_[components_.of[v]] |= is_fixed[v];
    std::vector<char> is_grounded = is_held_;
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        char& grounded = is_grounded[components_.of[v]];
        const bool ground = !grounded;  // the component's first vertex stands still; settle moves the whole
        grounded = 1;
        index_[v] = is_fixed[v] || ground ? -1 : static_cast<std::int32_t>(num_free_++);
    }
    if (num_free_ == 0) return;
    Laplacian laplacian;
    for (const Element& element : elements_) laplacian.add(element, index_);
    cholesky_ = laplacian.factor(num_free_);
}

/// What a source shape adds to the placed source.
void DeformationTransfer::place(const float* shape, double* offset) const {
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        Vector moved;
        for (int i = 0; i < 3; ++i) moved[i] = static_cast<double>(shape[3 * v + i]) - source_neutral_[3 * v + i];
        const Vector turned = similarity_[components_.of[v]].turn(moved);
        std::copy(turned.begin(), turned.end(), offset + 3 * v);
    }
}

/// The right-hand side at every vertex (V, 3).
void DeformationTransfer::gather(const double* offset, double* sums) const {
    std::fill_n(sums, 3 * num_vertices(), 0.0);
    std::vector<char> moves(num_vertices());  // most shapes move a part of the face only
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const double* o = offset + 3 * v;
        moves[v] = o[0] != 0.0 || o[1] != 0.0 || o[2] != 0.0;
    }
    for (const Element& element : elements_) {
        const auto [a, b, c] = element.vertex;
        if (moves[a] || moves[b] || moves[c]) {
            add_to_sums(element, side_change(element, source_.data(), offset), sums);
        }
    }
}

/// From right-hand sides (count, V, 3) to solutions, in place: 0 at vertices without a row in the system.
void DeformationTransfer::solve(const linalg::SparseCholesky& cholesky, const std::vector<std::int32_t>& index,
                                double* sums, std::int64_t count, int threads) const {
    const std::int64_t vertices = num_vertices(), size = cholesky.size();
    std::vector<double> columns(std::min(block, count) * 3 * size);  // x, y, z of a shape, each together
    for (std::int64_t begin = 0; begin < count; begin += block) {
        const std::int64_t now = std::min(block, count - begin);
        double* own = sums + begin * 3 * vertices;
        const auto each = [&](auto copy) {
            parallel_for(now, 1, threads, [&](std::int64_t first, std::int64_t last) {
                for (std::int64_t s = first; s < last; ++s) {
                    for (std::int64_t v = 0; v < vertices; ++v) copy(s, v, own + 3 * (s * vertices + v));
                }
            });
        };
        each([&](std::int64_t s, std::int64_t v, const double* in) {
            for (int i = 0; i < 3 && index[v] >= 0; ++i) columns[(3 * s + i) * size + index[v]] = in[i];
        });
        cholesky.solve_each({columns.data(), {3 * now, size}}, threads);
        each([&](std::int64_t s, std::int64_t v, double* out) {
            for (int i = 0; i < 3; ++i) out[i] = index[v] < 0 ? 0.0 : columns[(3 * s + i) * size + index[v]];
        });
    }
}

/// From right-hand sides (count, V, 3) to offsets of the target, in place, components in their places.
void DeformationTransfer::solve_offsets(const double* offsets, double* sums, std::int64_t count, int threads) const {
    const std::int64_t size = 3 * num_vertices();
    if (cholesky_) {
        solve(*cholesky_, index_, sums, count, threads);
    } else {
        std::fill_n(sums, count * size, 0.0);
    }
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s) settle(offsets + s * size, sums + s * size);
    });
}

/// Corrects offsets (count, V, 3) of the target where lips and lids meet.
void DeformationTransfer::meet_contacts(const double* offsets, double* moved, std::int64_t count, int threads) const {
    if (!contacts_) return;
    const std::int64_t size = 3 * num_vertices();
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s) {
            contacts_->meet(source_.data(), offsets + s * size, target_.data(), moved + s * size);
        }
    });
}

/// Moves components that nothing holds to their place.
void DeformationTransfer::settle(const double* offset, double* moved) const {
    const std::vector<double> weight = rest_weights(components_, offset);
    std::vector<double> total(components_.count, 0.0);
    std::vector<Vector> shift(components_.count, Vector{});
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const std::int32_t g = components_.of[v];
        total[g] += weight[v];
        for (int i = 0; i < 3; ++i) shift[g][i] += weight[v] * (offset[3 * v + i] - moved[3 * v + i]);
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const std::int32_t g = components_.of[v];
        if (is_held_[g] || total[g] == 0.0) continue;
        for (int i = 0; i < 3; ++i) moved[3 * v + i] += shift[g][i] / total[g];
    }
}

void DeformationTransfer::write(const double* moved, float* target_shape) const {
    for (std::int64_t i = 0; i < 3 * num_vertices(); ++i) target_shape[i] = static_cast<float>(target_[i] + moved[i]);
}

void DeformationTransfer::transfer(View<const float, 3> source_shapes, View<float, 3> target_shapes,
                                   int threads) const {
    const std::int64_t count = source_shapes.extent(0), vertices = num_vertices(), size = 3 * vertices;
    check_shape<const float, 3>("DeformationTransfer.transfer", "source_shapes", source_shapes, {-1, vertices, 3});
    check_shape<float, 3>("DeformationTransfer.transfer", "target_shapes", target_shapes, {count, vertices, 3});
    check_finite("DeformationTransfer.transfer", "source_shapes", source_shapes);
    std::vector<double> offsets(std::min(block, count) * size), moved(std::min(block, count) * size);
    for (std::int64_t begin = 0; begin < count; begin += block) {
        const std::int64_t now = std::min(block, count - begin);
        parallel_for(now, 1, threads, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t s = first; s < last; ++s) {
                place(source_shapes.row(begin + s), offsets.data() + s * size);
                gather(offsets.data() + s * size, moved.data() + s * size);
            }
        });
        solve_offsets(offsets.data(), moved.data(), now, threads);
        meet_contacts(offsets.data(), moved.data(), now, threads);
        for (std::int64_t s = 0; s < now; ++s) write(moved.data() + s * size, target_shapes.row(begin + s));
    }
}

}  // namespace rigwright::transfer
