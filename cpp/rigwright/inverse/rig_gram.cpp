#include "rigwright/inverse/rig_gram.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "rigwright/core/check.h"
#include "rigwright/core/error.h"

namespace rigwright::inverse {
namespace {

Projection::Columns columns_of(const rig::BlendshapeRig& rig) {
    return [&rig](std::int64_t n, View<float, 2> delta) { rig.column(n, delta); };
}

template <class T>
View<const T, 1> view(const std::vector<T>& numbers) {
    return {numbers.data(), {static_cast<std::int64_t>(numbers.size())}};
}

std::vector<std::int32_t> checked_vertices(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> vertices) {
    const std::int64_t count = rig.character().num_vertices();
    for (const std::int32_t v : vertices) {
        if (v >= 0 && v < count) continue;
        throw bad_argument("RigGram", "vertices", std::to_string(v) + " somewhere",
                           "vertex indices below " + std::to_string(count));
    }
    std::vector<char> seen(static_cast<std::size_t>(count), 0);
    for (const std::int32_t v : vertices) {
        if (std::exchange(seen[v], char{1}) == 0) continue;
        throw bad_argument("RigGram", "vertices", std::to_string(v) + " twice", "each vertex once");
    }
    if (vertices.size() == 0) throw bad_argument("RigGram", "vertices", "empty", "one vertex or more");
    return {vertices.begin(), vertices.end()};
}

std::vector<double> checked_weights(View<const double, 1> weights, std::int64_t count) {
    check_shape<const double, 1>("RigGram", "vertex_weights", weights, {count});
    check_finite("RigGram", "vertex_weights", weights);
    if (std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0.0; })) {
        throw bad_argument("RigGram", "vertex_weights", "negative somewhere", "zero or more");
    }
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0.0; })) {
        throw bad_argument("RigGram", "vertex_weights", "0 everywhere", "positive somewhere");
    }
    return {weights.begin(), weights.end()};
}

std::vector<std::int32_t> all_vertices(const rig::BlendshapeRig& rig) {
    std::vector<std::int32_t> vertices(static_cast<std::size_t>(rig.character().num_vertices()));
    std::iota(vertices.begin(), vertices.end(), 0);
    return vertices;
}

linalg::GramMatrix products(const rig::BlendshapeRig& rig, const Projection& projection) {
    const std::int64_t n = rig.num_columns();
    std::vector<double> matrix(static_cast<std::size_t>(n * n));
    const View<double, 2> out(matrix.data(), {n, n});
    projection.gram(columns_of(rig), rig.character().num_vertices(), out, 0);
    return linalg::GramMatrix(out);
}

/// (K): 1 for shapes that a combination multiplies.
std::vector<char> in_combinations(const rig::BlendshapeRig& rig) {
    std::vector<char> result(static_cast<std::size_t>(rig.num_shapes()), 0);
    for (std::int64_t c = 0; c + rig.num_shapes() < rig.num_columns(); ++c) {
        for (const rig::Driver& f : rig.drivers(c)) result[f.shape] = 1;
    }
    return result;
}

}  // namespace

RigGram::RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, std::vector<std::int32_t> vertices,
                 const std::vector<double>& vertex_weights)
    : rig_(std::move(rig)),
      vertices_(std::move(vertices)),
      total_weight_(std::accumulate(vertex_weights.begin(), vertex_weights.end(), 0.0)),
      projection_(rig_->num_columns(), columns_of(*rig_), rig_->character().rest_vertices, view(vertices_),
                  view(vertex_weights)),
      matrix_(products(*rig_, projection_)) {}

RigGram::RigGram(std::shared_ptr<const rig::BlendshapeRig> rig)
    : RigGram(rig, all_vertices(*rig),
              std::vector<double>(static_cast<std::size_t>(rig->character().num_vertices()), 1.0)) {}

RigGram::RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, View<const std::int32_t, 1> vertices,
                 View<const double, 1> vertex_weights)
    : RigGram(rig, checked_vertices(*rig, vertices), checked_weights(vertex_weights, vertices.size())) {}

std::vector<char> RigGram::idle() const {
    const std::int64_t shapes = rig_->num_shapes();
    std::vector<char> result(static_cast<std::size_t>(shapes));
    for (std::int64_t k = 0; k < shapes; ++k) result[k] = matrix_(k, k) > 0.0 ? 0 : 1;
    for (std::int64_t c = 0; c + shapes < rig_->num_columns(); ++c) {
        if (!(matrix_(shapes + c, shapes + c) > 0.0)) continue;
        for (const rig::Driver& f : rig_->drivers(c)) result[f.shape] = 0;
    }
    return result;
}

bool RigGram::columns_are_equal(std::int32_t i, std::int32_t j) const {
    const std::int64_t count = rig_->character().num_vertices();
    std::vector<float> first(static_cast<std::size_t>(3 * count)), second(first.size());
    rig_->column(i, {first.data(), {count, 3}});
    rig_->column(j, {second.data(), {count, 3}});
    return std::all_of(vertices_.begin(), vertices_.end(), [&](std::int32_t v) {
        return std::equal(first.data() + 3 * v, first.data() + 3 * v + 3, second.data() + 3 * v);
    });
}

std::vector<std::pair<std::int32_t, std::int32_t>> RigGram::duplicates() const {
    const auto shapes = static_cast<std::int32_t>(rig_->num_shapes());
    const std::vector<char> multiplied = in_combinations(*rig_);
    std::vector<char> taken(multiplied.size(), 0);
    std::vector<std::pair<std::int32_t, std::int32_t>> found;
    for (std::int32_t i = 0; i < shapes; ++i) {
        const double norm = matrix_(i, i);
        if (multiplied[i] || !(norm > 0.0)) continue;
        for (std::int32_t j = i + 1; j < shapes; ++j) {
            // a cheap necessary condition first, then the columns themselves
            if (multiplied[j] || taken[j] || std::abs(matrix_(i, j) - norm) > 1e-12 * norm) continue;
            if (!columns_are_equal(i, j)) continue;
            found.emplace_back(i, j);
            taken[j] = 1;
        }
    }
    return found;
}

double RigGram::least_independence() const {
    std::vector<char> left_out(static_cast<std::size_t>(rig_->num_shapes()), 0);
    for (const auto& [first, later] : duplicates()) left_out[later] = 1;
    std::vector<std::int64_t> own;
    for (std::int64_t k = 0; k < rig_->num_shapes(); ++k) {
        if (matrix_(k, k) > 0.0 && !left_out[k]) own.push_back(k);
    }
    if (own.empty()) return 1.0;
    const auto count = static_cast<Eigen::Index>(own.size());
    Eigen::MatrixXd cosines(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index j = 0; j < count; ++j) {
            cosines(i, j) = matrix_(own[i], own[j]) / std::sqrt(matrix_(own[i], own[i]) * matrix_(own[j], own[j]));
        }
    }
    // (C^-1)_kk = 1 / sine^2 for the matrix C of the columns' cosines; eigenvalues below rounding count as rounding
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(cosines);
    const Eigen::VectorXd inverse =
        solver.eigenvalues().cwiseMax(std::numeric_limits<double>::epsilon()).cwiseInverse();
    const Eigen::VectorXd diagonal = solver.eigenvectors().cwiseAbs2() * inverse;
    return std::sqrt(1.0 / diagonal.maxCoeff());
}

optimize::ProductModel rig_products(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> ties) {
    const std::int64_t shapes = rig.num_shapes();
    check_shape<const std::int32_t, 1>("rig_products", "ties", ties, {shapes});
    std::vector<std::vector<optimize::Driver>> columns(static_cast<std::size_t>(rig.num_columns()));
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (ties(k) < 0 || ties(k) >= shapes) {
            throw bad_argument("rig_products", "ties", std::to_string(ties(k)) + " somewhere", "shapes");
        }
        columns[k] = {{ties(k), false, 0.0, 0.0, 0.0}};
    }
    for (std::int64_t c = 0; c + shapes < rig.num_columns(); ++c) {
        for (const rig::Driver& f : rig.drivers(c)) {
            columns[shapes + c].push_back({ties(f.shape), f.is_tent, {f.tent.x1, f.tent.x2, f.tent.x3}});
        }
    }
    return optimize::ProductModel(shapes, std::move(columns));
}

}  // namespace rigwright::inverse
