#include "rigcast/transfer/deformation_transfer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/mesh/gradients/cotangent_laplacian.h"
#include "rigcast/mesh/gradients/side_by_side.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::transfer {
namespace {

constexpr const char* name = "DeformationTransfer";

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

/// The triangles that are degenerate in neither neutral. Adds the faces of the others to `degenerate`, each once.
std::vector<mesh::Triangle> without_degenerate(View<const std::int32_t, 2> faces, const std::vector<double>& source,
                                               const std::vector<double>& target,
                                               std::vector<std::int32_t>* degenerate) {
    std::vector<mesh::Triangle> kept;
    for (const mesh::Triangle& triangle : mesh::triangulate(faces)) {
        if (!mesh::is_degenerate(triangle, source.data()) && !mesh::is_degenerate(triangle, target.data())) {
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
    std::vector<mesh::Triangle> triangles = without_degenerate(faces, source_, target_, &degenerate_faces_);
    components_ = mesh::Components(triangles, num_vertices());
    similarity_ = fit_similarities(components_, source_neutral, target_neutral);
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const linalg::Vec3 placed =
            similarity_[components_.of[v]].map_point({source_[3 * v], source_[3 * v + 1], source_[3 * v + 2]});
        std::copy(placed.begin(), placed.end(), source_.begin() + 3 * v);
    }
    elements_.reserve(triangles.size());
    for (const mesh::Triangle& triangle : triangles) {
        elements_.push_back(mesh::make_element(triangle, source_.data(), target_.data()));
    }
    is_fixed_.assign(num_vertices(), 0);
    for (const std::int32_t v : fixed) is_fixed_[v] = 1;
    factorize();
    if (contacts.extent(0) == 0) return;
    contacts_ = std::make_unique<Contacts>(contacts, faces, target_.data(), elements_, is_fixed_, contact_weight);
}

void DeformationTransfer::factorize() {
    has_fixed_vertex_.assign(components_.count, 0);
    for (std::int64_t v = 0; v < num_vertices(); ++v) has_fixed_vertex_[components_.of[v]] |= is_fixed_[v];
    std::vector<char> is_grounded = has_fixed_vertex_;
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        char& grounded = is_grounded[components_.of[v]];
        const bool ground = !grounded;  // the component's first vertex; place_components then moves the component
        grounded = 1;
        index_[v] = is_fixed_[v] || ground ? -1 : static_cast<std::int32_t>(num_free_++);
    }
    if (num_free_ > 0) {
        mesh::Laplacian laplacian(elements_.size());
        for (const mesh::Element& element : elements_) laplacian.add(element, index_);
        cholesky_ = laplacian.factorize(num_free_);
    }
    std::replace(index_.begin(), index_.end(), -1, static_cast<std::int32_t>(num_free_));
}

/// Writes the offsets (V, 3) of a source shape from the placed source.
void DeformationTransfer::place_shape(const float* shape, double* offset) const {
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        linalg::Vec3 moved;
        for (int i = 0; i < 3; ++i) moved[i] = static_cast<double>(shape[3 * v + i]) - source_neutral_[3 * v + i];
        const linalg::Vec3 rotated = similarity_[components_.of[v]].map_vector(moved);
        std::copy(rotated.begin(), rotated.end(), offset + 3 * v);
    }
}

/// Overwrites right-hand sides (count, V, 3) with offsets of the target, components placed.
void DeformationTransfer::solve_shapes(const double* offsets, double* sums, std::int64_t count, int threads) const {
    const std::int64_t vertices = num_vertices();
    parallel_for(count, mesh::SideBySide::max_shapes, threads, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t width = 3 * (end - begin);
        std::vector<double> rows(static_cast<std::size_t>((num_free_ + 1) * width));
        const auto each = [&](auto copy) {
            for (std::int64_t s = begin; s < end; ++s) {
                for (std::int64_t v = 0; v < vertices; ++v) {
                    copy(rows.data() + index_[v] * width + 3 * (s - begin), sums + 3 * (s * vertices + v));
                }
            }
        };
        each([](double* row, const double* sum) { std::copy_n(sum, 3, row); });
        solve(rows.data(), width);
        each([](const double* row, double* moved) { std::copy_n(row, 3, moved); });
        for (std::int64_t s = begin; s < end; ++s) {
            place_components(offsets + 3 * s * vertices, has_fixed_vertex_, sums + 3 * s * vertices);
        }
    });
}

/// Solves for right-hand sides (num_free + 1, width) in place; the last row is 0 afterwards, for vertices that are not
/// in the system.
void DeformationTransfer::solve(double* rows, std::int64_t width) const {
    const View<double, 2> system(rows, {num_free_, width});
    if (cholesky_) cholesky_->solve(system, system, 1);
    std::fill_n(rows + num_free_ * width, width, 0.0);
}

void DeformationTransfer::write_shape(const double* moved, float* target_shape) const {
    for (std::int64_t i = 0; i < 3 * num_vertices(); ++i) target_shape[i] = static_cast<float>(target_[i] + moved[i]);
}

/// Transfers shapes (count, V, 3), at most SideBySide::max_shapes, in one thread.
void DeformationTransfer::transfer_batch(const float* shapes, std::int64_t count, float* results) const {
    const std::int64_t vertices = num_vertices();
    const std::int64_t size = 3 * vertices;
    mesh::SideBySide batch;
    std::vector<double> offset(size);
    std::vector<double> moved(size);
    batch.reset(static_cast<int>(count), vertices, num_free_ + 1);
    const int width = batch.width;
    for (std::int64_t s = 0; s < count; ++s) {
        place_shape(shapes + s * size, offset.data());
        for (std::int64_t v = 0; v < vertices; ++v) {
            const double* o = offset.data() + 3 * v;
            if (o[0] == 0.0 && o[1] == 0.0 && o[2] == 0.0) continue;
            batch.moves[v] = 1;
            for (int i = 0; i < 3; ++i) batch.offsets[(3 * v + i) * width + s] = o[i];
        }
    }
    mesh::add_elements(elements_, index_, source_.data(), &batch);
    solve(batch.sums.data(), 3 * width);
    for (std::int64_t s = 0; s < count; ++s) {
        for (std::int64_t v = 0; v < vertices; ++v) {
            for (std::int64_t i = 0; i < 3; ++i) {
                offset[3 * v + i] = batch.offsets[(3 * v + i) * width + s];
                moved[3 * v + i] = batch.sums[(3 * index_[v] + i) * width + s];
            }
        }
        place_components(offset.data(), has_fixed_vertex_, moved.data());
        if (contacts_) contacts_->correct(source_.data(), offset.data(), target_.data(), moved.data());
        write_shape(moved.data(), results + s * size);
    }
}

void DeformationTransfer::transfer(View<const float, 3> source_shapes, View<float, 3> target_shapes,
                                   int threads) const {
    const std::int64_t count = source_shapes.extent(0);
    const std::int64_t vertices = num_vertices();
    check_shape<const float, 3>("DeformationTransfer.transfer", "source_shapes", source_shapes, {-1, vertices, 3});
    check_shape<float, 3>("DeformationTransfer.transfer", "target_shapes", target_shapes, {count, vertices, 3});
    check_finite("DeformationTransfer.transfer", "source_shapes", source_shapes);
    // Few shapes and many threads: fewer shapes per batch. The bytes are the same.
    const std::int64_t share = count / (threads > 0 ? threads : num_processors());
    const std::int64_t shapes_per_batch = std::clamp<std::int64_t>(share, 1, mesh::SideBySide::max_shapes);
    parallel_for(count, shapes_per_batch, threads, [&](std::int64_t begin, std::int64_t end) {
        transfer_batch(source_shapes.row(begin), end - begin, target_shapes.row(begin));
    });
}

namespace {

/// Returns true if an element has a vertex that moves.
bool touches(const mesh::Element& element, const std::vector<char>& moves) {
    return moves[element.vertex[0]] || moves[element.vertex[1]] || moves[element.vertex[2]];
}

}  // namespace

/// Writes the offsets (V, 3) of the target for one shape, given the placed source's offsets (V, 3), exactly 0 at rest.
void DeformationTransfer::solve_moving(const double* offset, double* moved) const {
    std::vector<char> moves(num_vertices(), 0);
    std::vector<char> has_rest(components_.count, 0);  // (components) a vertex that does not move
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const double* d = offset + 3 * v;
        moves[v] = !is_fixed_[v] && (d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0);
        has_rest[components_.of[v]] |= !moves[v];
    }
    std::vector<char> is_grounded = has_rest;
    std::vector<std::int32_t> row(num_vertices(), -1);
    std::int32_t count = 0;
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        if (!moves[v]) continue;
        char& grounded = is_grounded[components_.of[v]];
        if (grounded) row[v] = count++;
        grounded = 1;  // if no vertex rests, the first one does; place_components then moves the component
    }
    std::fill_n(moved, 3 * num_vertices(), 0.0);
    std::vector<const mesh::Element*> touched;
    for (const mesh::Element& element : elements_) {
        if (touches(element, moves)) touched.push_back(&element);
    }
    mesh::Laplacian laplacian(touched.size());
    std::vector<double> sums(3 * num_vertices(), 0.0);
    std::vector<double> rhs(3 * static_cast<std::size_t>(count));
    for (const mesh::Element* element : touched) {
        laplacian.add(*element, row);
        mesh::add_to_sums(*element, mesh::side_change(*element, source_.data(), offset), sums.data());
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        if (row[v] >= 0) std::copy_n(sums.data() + 3 * v, 3, rhs.data() + 3 * row[v]);
    }
    if (count > 0) {
        const View<double, 2> system(rhs.data(), {count, 3});
        laplacian.factorize(count)->solve(system, system, 1);
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        if (row[v] >= 0) std::copy_n(rhs.data() + 3 * row[v], 3, moved + 3 * v);
    }
    place_components(offset, has_rest, moved);
}

void DeformationTransfer::transfer_keep_rest(View<const float, 3> source_shapes, View<float, 3> target_shapes,
                                             int threads) const {
    constexpr const char* name = "DeformationTransfer.transfer_keep_rest";
    const std::int64_t count = source_shapes.extent(0);
    const std::int64_t size = 3 * num_vertices();
    check_shape<const float, 3>(name, "source_shapes", source_shapes, {-1, num_vertices(), 3});
    check_shape<float, 3>(name, "target_shapes", target_shapes, {count, num_vertices(), 3});
    check_finite(name, "source_shapes", source_shapes);
    float largest = 0.0f;
    for (const float x : source_neutral_) largest = std::max(largest, std::fabs(x));
    const float float32_step = std::numeric_limits<float>::epsilon() * largest;
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> offset(size);
        std::vector<double> moved(size);
        for (std::int64_t s = begin; s < end; ++s) {
            const float* shape = source_shapes.row(s);
            place_shape(shape, offset.data());
            for (std::int64_t v = 0; v < num_vertices(); ++v) {
                const bool rests = std::equal(shape + 3 * v, shape + 3 * v + 3, source_neutral_.data() + 3 * v,
                                              [&](float a, float b) { return std::fabs(a - b) <= float32_step; });
                if (rests) std::fill_n(offset.data() + 3 * v, 3, 0.0);
            }
            solve_moving(offset.data(), moved.data());
            if (contacts_) contacts_->correct(source_.data(), offset.data(), target_.data(), moved.data());
            write_shape(moved.data(), target_shapes.row(s));
        }
    });
}

}  // namespace rigcast::transfer
