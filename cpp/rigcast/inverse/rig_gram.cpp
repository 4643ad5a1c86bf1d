#include "rigcast/inverse/rig_gram.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/linalg/pairwise_sum.h"
#include "rigcast/rig/blendshapes/stored_offsets.h"

namespace rigcast::inverse {
namespace {

/// The offsets of the chosen vertices that are not zero.
Projection::VertexOffsets offsets_of(const rig::BlendshapeRig& rig, const std::vector<std::int32_t>& vertices) {
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(rig.character().num_vertices()), -1);
    for (std::size_t i = 0; i < vertices.size(); ++i) chosen[vertices[i]] = static_cast<std::int32_t>(i);
    const auto visit_chosen = [&](const auto& visit) {
        rig::for_stored_offsets(rig.grouped(), [&](std::int64_t n, std::int32_t vertex, const float* offset) {
            if (chosen[vertex] < 0 || (offset[0] == 0.0f && offset[1] == 0.0f && offset[2] == 0.0f)) return;
            visit(static_cast<std::int32_t>(n), chosen[vertex], offset);
        });
    };
    Projection::VertexOffsets moved;
    moved.begin.resize(vertices.size() + 1);
    visit_chosen([&](std::int32_t, std::int32_t i, const float*) { ++moved.begin[i + 1]; });
    std::partial_sum(moved.begin.begin(), moved.begin.end(), moved.begin.begin());
    moved.column.resize(moved.begin.back());
    moved.offset.resize(3 * moved.column.size());
    std::vector<std::int64_t> next(moved.begin.begin(), moved.begin.end() - 1);
    visit_chosen([&](std::int32_t n, std::int32_t i, const float* offset) {
        const std::int64_t entry = next[i]++;
        moved.column[entry] = n;
        std::copy_n(offset, 3, &moved.offset[3 * entry]);
    });
    return moved;
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

linalg::GramMatrix gram_matrix(const rig::BlendshapeRig& rig, const Projection& projection) {
    const std::int64_t n = rig.num_columns();
    std::vector<double> matrix(static_cast<std::size_t>(n * n));
    const View<double, 2> out(matrix.data(), {n, n});
    projection.gram(out, 0);
    return linalg::GramMatrix(out);
}

constexpr double least_sharpness = 1e-5;  // gradients below tolerance times this are rounding
constexpr double well_conditioned =
    1e7;  // largest 1 / sine^2 that a Cholesky factorization gives to half of the digits

/// The diagonal of the inverse of a matrix of cosines, 1 / sine^2 of each column. By eigenvalues, of which those below
/// rounding are raised to it, if the matrix is nearly singular; they take several times as long as a factorization.
Eigen::VectorXd inverse_diagonal(const Eigen::MatrixXd& cosines) {
    const Eigen::LLT<Eigen::MatrixXd> factorization(cosines);
    if (factorization.info() == Eigen::Success) {
        Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(cosines.rows(), cosines.cols());
        factorization.matrixL().solveInPlace(inverse);
        const Eigen::VectorXd diagonal = inverse.colwise().squaredNorm();
        if (diagonal.maxCoeff() < well_conditioned) return diagonal;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(cosines);
    const Eigen::VectorXd inverse =
        solver.eigenvalues().cwiseMax(std::numeric_limits<double>::epsilon()).cwiseInverse();
    return solver.eigenvectors().cwiseAbs2() * inverse;
}

/// (K): 1 for shapes that drive a combination.
std::vector<char> shapes_in_combinations(const rig::BlendshapeRig& rig) {
    std::vector<char> result(static_cast<std::size_t>(rig.num_shapes()), 0);
    for (std::int64_t c = 0; c + rig.num_shapes() < rig.num_columns(); ++c) {
        for (const rig::Driver& driver : rig.drivers(c)) result[driver.shape] = 1;
    }
    return result;
}

}  // namespace

RigGram::RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, std::vector<std::int32_t> vertices,
                 const std::vector<double>& vertex_weights)
    : rig_(std::move(rig)),
      vertices_(std::move(vertices)),
      total_weight_(linalg::pairwise_sum(vertex_weights.data(), static_cast<std::int64_t>(vertex_weights.size()))),
      projection_(rig_->num_columns(), offsets_of(*rig_, vertices_), rig_->character().rest_vertices, view(vertices_),
                  view(vertex_weights), 0),
      matrix_(gram_matrix(*rig_, projection_)) {
    if (!(largest_entry_of_matrix() <= largest_entry)) {
        throw bad_argument("solve", "vertex_weights",
                           "so large, on a rig that moves vertices so far, that the objective overflows", "smaller");
    }
    idle_ = find_idle();
    duplicates_ = find_duplicates();
    independence_ = find_independence();
}

RigGram::RigGram(std::shared_ptr<const rig::BlendshapeRig> rig)
    : RigGram(rig, all_vertices(*rig),
              std::vector<double>(static_cast<std::size_t>(rig->character().num_vertices()), 1.0)) {}

RigGram::RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, View<const std::int32_t, 1> vertices,
                 View<const double, 1> vertex_weights)
    : RigGram(rig, checked_vertices(*rig, vertices), checked_weights(vertex_weights, vertices.size())) {}

std::vector<char> RigGram::find_idle() const {
    const std::int64_t shapes = rig_->num_shapes();
    std::vector<char> result(static_cast<std::size_t>(shapes));
    for (std::int64_t k = 0; k < shapes; ++k) result[k] = matrix_(k, k) > 0.0 ? 0 : 1;
    for (std::int64_t c = 0; c + shapes < rig_->num_columns(); ++c) {
        if (!(matrix_(shapes + c, shapes + c) > 0.0)) continue;
        for (const rig::Driver& driver : rig_->drivers(c)) result[driver.shape] = 0;
    }
    return result;
}

bool RigGram::columns_are_equal(std::int32_t i, std::int32_t j) const {
    const std::int64_t count = rig_->character().num_vertices();
    std::vector<float> first(static_cast<std::size_t>(3 * count));
    std::vector<float> second(first.size());
    rig_->column(i, {first.data(), {count, 3}});
    rig_->column(j, {second.data(), {count, 3}});
    return std::all_of(vertices_.begin(), vertices_.end(), [&](std::int32_t v) {
        return std::equal(first.data() + 3 * v, first.data() + 3 * v + 3, second.data() + 3 * v);
    });
}

std::vector<std::pair<std::int32_t, std::int32_t>> RigGram::find_duplicates() const {
    const auto shapes = static_cast<std::int32_t>(rig_->num_shapes());
    const std::vector<char> drives = shapes_in_combinations(*rig_);
    std::vector<char> is_duplicate(drives.size(), 0);
    std::vector<std::pair<std::int32_t, std::int32_t>> found;
    for (std::int32_t i = 0; i < shapes; ++i) {
        const double norm = matrix_(i, i);
        if (drives[i] || !(norm > 0.0)) continue;
        for (std::int32_t j = i + 1; j < shapes; ++j) {
            // Equal columns have equal products up to rounding: cheap to check before the columns themselves.
            constexpr double rounding = 1e-12;  // relative
            if (drives[j] || is_duplicate[j] || std::abs(matrix_(i, j) - norm) > rounding * norm) continue;
            if (!columns_are_equal(i, j)) continue;
            found.emplace_back(i, j);
            is_duplicate[j] = 1;
        }
    }
    return found;
}

void RigGram::project(View<const float, 3> targets, View<double, 2> projections, View<double, 1> energies,
                      int threads) const {
    const std::int64_t all = rig_->character().num_vertices();
    const std::int64_t chosen = projection_.num_vertices();
    const std::int64_t given = targets.extent(1);
    if ((given != all && given != chosen) || targets.extent(2) != 3) {
        throw bad_argument("project", "targets", describe_shape<3>(targets.extents()),
                           "(T, " + std::to_string(all) + ", 3) or (T, " + std::to_string(chosen) + ", 3)");
    }
    check_shape<double, 2>("project", "projections", projections, {targets.extent(0), projection_.num_columns()});
    check_shape<double, 1>("project", "energies", energies, {targets.extent(0)});
    const auto layout = given == all ? Projection::Layout::all : Projection::Layout::chosen;
    projection_.project(targets, layout, projections, energies, threads);
}

double RigGram::largest_entry_of_matrix() const {
    double largest = 0.0;
    for (std::int64_t n = 0; n < matrix_.size(); ++n) {
        // Keeps NaN.
        if (!(matrix_(n, n) <= largest)) largest = matrix_(n, n);
        if (std::isnan(largest)) break;
    }
    return largest;
}

std::vector<double> RigGram::find_independence() const {
    std::vector<char> is_duplicate(static_cast<std::size_t>(rig_->num_shapes()), 0);
    for (const auto& [first, later] : duplicates_) is_duplicate[later] = 1;
    std::vector<std::int64_t> shapes;
    for (std::int64_t k = 0; k < rig_->num_shapes(); ++k) {
        if (matrix_(k, k) > 0.0 && !is_duplicate[k]) shapes.push_back(k);
    }
    std::vector<double> independence(is_duplicate.size(), 1.0);
    if (shapes.empty()) return independence;
    const auto count = static_cast<Eigen::Index>(shapes.size());
    Eigen::MatrixXd cosines(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index j = 0; j < count; ++j) {
            const std::int64_t a = shapes[i];
            const std::int64_t b = shapes[j];
            cosines(i, j) = matrix_(a, b) / std::sqrt(matrix_(a, a) * matrix_(b, b));
        }
    }
    const Eigen::VectorXd diagonal = inverse_diagonal(cosines);
    for (Eigen::Index i = 0; i < count; ++i) independence[shapes[i]] = std::sqrt(1.0 / diagonal(i));
    return independence;
}

double RigGram::sharpness() const {
    const double least = std::accumulate(independence_.begin(), independence_.end(), 1.0,
                                         [](double a, double b) { return std::min(a, b); });
    const double ratio = least / nearly_dependent;
    return std::clamp(ratio * ratio, least_sharpness, 1.0);
}

optimize::ProductModel rig_products(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> ties) {
    const std::int64_t shapes = rig.num_shapes();
    check_shape<const std::int32_t, 1>("rig_products", "ties", ties, {shapes});
    std::vector<std::vector<optimize::Driver>> columns(static_cast<std::size_t>(rig.num_columns()));
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (ties(k) < 0 || ties(k) >= shapes) {
            throw bad_argument("rig_products", "ties", std::to_string(ties(k)) + " somewhere",
                               "shape indices below " + std::to_string(shapes));
        }
        columns[k] = {{ties(k), false, {0.0, 0.0, 0.0}}};
    }
    for (std::int64_t c = 0; c + shapes < rig.num_columns(); ++c) {
        for (const rig::Driver& driver : rig.drivers(c)) {
            columns[shapes + c].push_back(
                {ties(driver.shape), driver.is_tent, {driver.tent.x1, driver.tent.x2, driver.tent.x3}});
        }
    }
    return optimize::ProductModel(shapes, std::move(columns));
}

}  // namespace rigcast::inverse
