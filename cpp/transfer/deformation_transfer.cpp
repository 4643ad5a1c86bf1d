#include "transfer/deformation_transfer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/check.h"
#include "core/parallel.h"
#include "mesh/topology.h"

namespace rigwright::transfer {
namespace {

constexpr const char* name = "DeformationTransfer";
constexpr std::int64_t block = 16;  // shapes whose right-hand sides are held at a time
constexpr double resting = 0.05;    // of the largest offset: vertices that move less weigh most in placement
constexpr double touching = 1e-3;   // of the mean length of an edge: a source gap this small touches

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

Vector difference(const double* points, std::int32_t i, std::int32_t j) {
    return {points[3 * i] - points[3 * j], points[3 * i + 1] - points[3 * j + 1],
            points[3 * i + 2] - points[3 * j + 2]};
}

double mean_side(const std::vector<Triangle>& triangles, const std::vector<double>& points) {
    double sum = 0.0;
    for (const Triangle& triangle : triangles) {
        const Vector side = difference(points.data(), triangle.vertex[1], triangle.vertex[0]);
        sum += std::hypot(side[0], side[1], side[2]);
    }
    return triangles.empty() ? 0.0 : sum / static_cast<double>(triangles.size());
}

/// Collects the entries of a graph Laplacian over free vertices.
struct Laplacian {
    void add(std::int32_t i, std::int32_t j, double weight) {
        if (i >= 0) put(i, i, weight);
        if (j >= 0) put(j, j, weight);
        if (i < 0 || j < 0) return;
        put(i, j, -weight);
        put(j, i, -weight);
    }
    void put(std::int32_t r, std::int32_t c, double x) {
        row.push_back(r);
        column.push_back(c);
        value.push_back(x);
    }
    std::vector<std::int32_t> row, column;
    std::vector<double> value;
};

template <class T>
View<const T, 1> view(const std::vector<T>& v) {
    return {v.data(), {static_cast<std::int64_t>(v.size())}};
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
      contact_weight_(contact_weight),
      groups_({}, 0),
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
    const double short_gap = touching * mean_side(triangles, target_);
    for (std::int64_t p = 0; p < contacts.extent(0); ++p) {
        const std::int32_t i = contacts(p, 0), j = contacts(p, 1);
        contacts_.emplace_back(i, j, difference(source_.data(), i, j), difference(target_.data(), i, j), short_gap);
        triangles.push_back({{i, j, j}, 0, 0.0f});
    }
    groups_ = Components(triangles, num_vertices());
    std::vector<char> is_fixed(num_vertices(), 0);
    for (const std::int32_t v : fixed) is_fixed[v] = 1;
    factorise(is_fixed);
}

void DeformationTransfer::factorise(const std::vector<char>& is_fixed) {
    is_held_.assign(groups_.count, 0);
    for (std::int64_t v = 0; v < num_vertices(); ++v) is_held_[groups_.of[v]] |= is_fixed[v];
    std::vector<char> is_grounded = is_held_;
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        char& grounded = is_grounded[groups_.of[v]];
        const bool ground = !grounded;  // the group's first vertex stands still; settle moves the whole
        grounded = 1;
        index_[v] = is_fixed[v] || ground ? -1 : static_cast<std::int32_t>(num_free_++);
    }
    Laplacian laplacian;
    for (const Element& element : elements_) {
        const auto& v = element.vertex;
        laplacian.add(index_[v[1]], index_[v[0]], element.weight[0]);
        laplacian.add(index_[v[2]], index_[v[0]], element.weight[1]);
        laplacian.add(index_[v[2]], index_[v[1]], element.weight[2]);
    }
    for (const ContactEdge& contact : contacts_) laplacian.add(index_[contact.i], index_[contact.j], contact_weight_);
    if (num_free_ == 0) return;
    cholesky_ = std::make_unique<linalg::SparseCholesky>(num_free_, view(laplacian.row), view(laplacian.column),
                                                         view(laplacian.value));
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
    for (const Element& element : elements_) {
        const SideChange change = side_change(element, source_.data(), offset);
        add_to_sums(element, change, sums);
    }
    for (const ContactEdge& contact : contacts_) {
        Vector gap = difference(source_.data(), contact.i, contact.j);
        const Vector moved = difference(offset, contact.i, contact.j);
        if (moved == Vector{}) continue;
        for (int i = 0; i < 3; ++i) gap[i] += moved[i];
        const Vector change = contact.change(gap);
        for (int i = 0; i < 3; ++i) {
            sums[3 * contact.i + i] += contact_weight_ * change[i];
            sums[3 * contact.j + i] -= contact_weight_ * change[i];
        }
    }
}

/// From the solution, three columns with `stride` between rows, to a shape: groups that nothing holds find their place.
void DeformationTransfer::settle(const double* offset, const double* solution, std::int64_t stride,
                                 float* target_shape) const {
    std::vector<double> largest(groups_.count, 0.0), weights(groups_.count, 0.0);
    std::vector<Vector> shift(groups_.count, Vector{});
    const auto squared = [&](std::int64_t v) {
        return offset[3 * v] * offset[3 * v] + offset[3 * v + 1] * offset[3 * v + 1] +
               offset[3 * v + 2] * offset[3 * v + 2];
    };
    const auto solved = [&](std::int64_t v, int i) { return index_[v] < 0 ? 0.0 : solution[index_[v] * stride + i]; };
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        double& size = largest[groups_.of[v]];
        size = std::max(size, squared(v));
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const std::int32_t g = groups_.of[v];
        if (is_held_[g] || largest[g] == 0.0) continue;
        const double weight = 1.0 / (squared(v) / largest[g] + resting * resting);
        weights[g] += weight;
        for (int i = 0; i < 3; ++i) shift[g][i] += weight * (offset[3 * v + i] - solved(v, i));
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const std::int32_t g = groups_.of[v];
        for (int i = 0; i < 3; ++i) {
            const double moved = solved(v, i) + (weights[g] > 0.0 ? shift[g][i] / weights[g] : 0.0);
            target_shape[3 * v + i] = static_cast<float>(target_[3 * v + i] + moved);
        }
    }
}

void DeformationTransfer::transfer(View<const float, 3> source_shapes, View<float, 3> target_shapes,
                                   int threads) const {
    const std::int64_t count = source_shapes.extent(0), vertices = num_vertices();
    check_shape<const float, 3>("DeformationTransfer.transfer", "source_shapes", source_shapes, {-1, vertices, 3});
    check_shape<float, 3>("DeformationTransfer.transfer", "target_shapes", target_shapes, {count, vertices, 3});
    check_finite("DeformationTransfer.transfer", "source_shapes", source_shapes);
    std::vector<double> offsets(std::min(block, count) * 3 * vertices), rhs(std::min(block, count) * 3 * num_free_);
    for (std::int64_t begin = 0; begin < count; begin += block) {
        const std::int64_t now = std::min(block, count - begin), stride = 3 * now;
        parallel_for(now, 1, threads, [&](std::int64_t first, std::int64_t last) {
            std::vector<double> sums(3 * vertices);
            for (std::int64_t s = first; s < last; ++s) {
                double* offset = offsets.data() + s * 3 * vertices;
                place(source_shapes.row(begin + s), offset);
                gather(offset, sums.data());
                for (std::int64_t v = 0; v < vertices; ++v) {
                    if (index_[v] >= 0) std::copy_n(sums.data() + 3 * v, 3, rhs.data() + index_[v] * stride + 3 * s);
                }
            }
        });
        const View<double, 2> system(rhs.data(), {num_free_, stride});
        if (cholesky_) cholesky_->solve(system, system, threads);
        parallel_for(now, 1, threads, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t s = first; s < last; ++s) {
                settle(offsets.data() + s * 3 * vertices, rhs.data() + 3 * s, stride, target_shapes.row(begin + s));
            }
        });
    }
}

}  // namespace rigwright::transfer
