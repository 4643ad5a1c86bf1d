#include "rigcast/differential/model/factorized_tail.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "rigcast/core/scratch.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::differential {
namespace {

constexpr int rows_per_solve = 32;  // bounds the memory; SparseCholesky solves eight frames at a time

}  // namespace

FactorizedTail::FactorizedTail(std::unique_ptr<const Reconstructor> reconstructor, View<const std::int32_t, 2> faces,
                               View<const float, 2> basis, View<const float, 1> mean,
                               std::vector<std::int32_t> vertices, View<const float, 2> rest, bool in_16_bits)
    : reconstructor_(std::move(reconstructor)),
      faces_(faces),
      basis_(basis),
      mean_(mean),
      vertices_(std::move(vertices)),
      rest_(rest) {
    const View<const float, 2> no_anchors(nullptr, {reconstructor_->num_vertices(), 0});
    map_ = pack_affine_tail(basis, no_anchors, mean,
                            in_16_bits ? network::choose_storage(basis) : network::Storage::float32, packed_);
}

std::int64_t FactorizedTail::num_bytes() const {
    return static_cast<std::int64_t>(packed_.num_bytes()) + reconstructor_->num_bytes();
}

/// Two matrices of doubles (N, 3 rows), a matrix of floats, and what the product's vjp needs.
std::size_t FactorizedTail::memory_size(int count) const {
    const std::int64_t rows = std::min(count, rows_per_solve);
    const std::size_t numbers = static_cast<std::size_t>(3 * reconstructor_->num_vertices() * rows);
    return 5 * Scratch::padded(numbers) + map_.vjp_size() + 2 * Scratch::padded(1);
}

void FactorizedTail::evaluate(Rows<const float> coefficients, Rows<const float> anchors, Rows<float> points, int count,
                              bool with_constant, float* memory, int threads) const {
    for (int p = 0; p < count; p += rows_per_solve) {
        evaluate_rows(coefficients.from(p), anchors.from(p), points.from(p), std::min(rows_per_solve, count - p),
                      with_constant, memory, threads);
    }
}

void FactorizedTail::evaluate_rows(Rows<const float> coefficients, Rows<const float> anchors, Rows<float> points,
                                   int count, bool with_constant, float* memory, int threads) const {
    const std::int64_t size = reconstructor_->num_vertices();
    const std::int64_t columns = 3 * count;
    const View<double, 2> given(reinterpret_cast<double*>(memory), {size, columns});
    const View<double, 2> x(given.end(), {size, columns});
    float* delta = reinterpret_cast<float*>(x.end());
    affine_tail_kernels().evaluate(map_, packed_, coefficients, anchors, {delta, 3 * size}, count, 0, map_.num_tiles(),
                                   with_constant);
    // The solver refuses what is not finite, and does not know the frame: such a row becomes NaN, which callers refuse.
    std::array<bool, rows_per_solve> overflows;
    for (int p = 0; p < count; ++p) {
        overflows[p] =
            rig::overflows(delta + 3 * size * p, 3 * size) || rig::overflows(anchors.row(p), 3 * num_anchors());
    }
    for (std::int64_t k = 0; k < size; ++k) {
        for (std::int64_t c = 0; c < columns; ++c) {
            given(k, c) = overflows[c / 3] ? 0.0 : delta[c / 3 * 3 * size + 3 * k + c % 3];
        }
    }
    reconstructor_->apply_laplacian(given, x);  // L is symmetric
    const auto& weights = reconstructor_->anchor_weights();
    for (std::size_t a = 0; a < weights.size(); ++a) {
        double* row = x.row(reconstructor_->anchors()[a]);
        for (std::int64_t c = 0; c < columns; ++c) {
            row[c] += weights[a] * weights[a] * anchors.row(c / 3)[3 * a + c % 3];
        }
    }
    reconstructor_->solve_normal(x, threads);
    for (int p = 0; p < count; ++p) {
        if (overflows[p]) {
            std::fill_n(points.row(p), 3 * vertices_.size(), std::numeric_limits<float>::quiet_NaN());
            continue;
        }
        for (std::size_t k = 0; k < vertices_.size(); ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                const double base = with_constant ? rest_.data()[3 * k + axis] : 0.0;
                points.row(p)[3 * k + axis] = static_cast<float>(base + x(vertices_[k], 3 * p + axis));
            }
        }
    }
}

std::vector<float> FactorizedTail::stored_basis() const {
    const std::int64_t size = reconstructor_->num_vertices();
    std::vector<float> basis(static_cast<std::size_t>(3 * size * map_.num_coefficients));
    float mean[3];
    for (std::int64_t k = 0; k < size; ++k) {
        unpack_vertex(map_, packed_, k, basis.data() + 3 * k * map_.num_coefficients, nullptr, mean);
    }
    return basis;
}

/// Folds the stored basis, for the whole mesh, and selects the model's vertices.
Folded FactorizedTail::folded() const {
    const std::int64_t size = reconstructor_->num_vertices();
    const std::int64_t width = map_.num_coefficients;
    const std::vector<float> basis = stored_basis();
    const Folded whole = fold(*reconstructor_, {basis.data(), {3 * size, width}}, mean_, 0);
    const std::int64_t anchors = num_anchors();
    Folded rows;
    for (std::size_t k = 0; k < vertices_.size(); ++k) {
        const auto from = [&](const std::vector<float>& all, std::int64_t count) {
            return all.begin() + vertices_[k] * count;
        };
        rows.basis.insert(rows.basis.end(), from(whole.basis, 3 * width), from(whole.basis, 3 * width) + 3 * width);
        rows.anchor.insert(rows.anchor.end(), from(whole.anchor, anchors), from(whole.anchor, anchors) + anchors);
        for (int axis = 0; axis < 3; ++axis) {
            rows.constant.push_back(whole.constant[3 * vertices_[k] + axis] + rest_.data()[3 * k + axis]);
        }
    }
    return rows;
}

/// d = N^-1 (L^T (U z + mu) + S^T W^2 a): with y = N^-1 g, the gradients are U^T L y and W^2 S y.
void FactorizedTail::vjp(const float* cotangents, float* coefficient_gradient, float* anchor_gradient,
                         float* memory) const {
    const std::int64_t size = reconstructor_->num_vertices();
    const View<double, 2> y(reinterpret_cast<double*>(memory), {size, 3});
    const View<double, 2> encoded(y.end(), {size, 3});
    float* gradient = reinterpret_cast<float*>(encoded.end());
    float* work = gradient + Scratch::padded(static_cast<std::size_t>(3 * size));
    std::fill(y.begin(), y.end(), 0.0);
    for (std::size_t k = 0; k < vertices_.size(); ++k) {
        for (int axis = 0; axis < 3; ++axis) y(vertices_[k], axis) += cotangents[3 * k + axis];
    }
    reconstructor_->solve_normal(y, 1);
    reconstructor_->apply_laplacian(y, encoded);
    const auto& weights = reconstructor_->anchor_weights();
    for (std::size_t a = 0; a < weights.size(); ++a) {
        for (int axis = 0; axis < 3; ++axis) {
            anchor_gradient[3 * a + axis] =
                static_cast<float>(weights[a] * weights[a] * y(reconstructor_->anchors()[a], axis));
        }
    }
    std::copy(encoded.begin(), encoded.end(), gradient);
    work += (Scratch::alignment - reinterpret_cast<std::uintptr_t>(work) % Scratch::alignment) / sizeof(float);
    affine_tail_kernels().vjp(map_, packed_, gradient, coefficient_gradient, nullptr, work);
}

/// The whole solve, for some of its vertices.
void FactorizedTail::add_restricted(View<const std::int32_t, 1> vertices, TensorFile& file) const {
    const auto& anchors = reconstructor_->anchors();
    const auto& weights = reconstructor_->anchor_weights();
    const std::vector<float> weight(weights.begin(), weights.end());
    const std::int64_t count = static_cast<std::int64_t>(anchors.size());
    std::vector<std::int32_t> chosen;
    for (const std::int32_t v : vertices) chosen.push_back(vertices_[v]);
    file.add("anchors.vertex", {count}, anchors.data());
    file.add("anchors.weight", {count}, weight.data());
    file.add("delta.basis", {basis_.extent(0), basis_.extent(1)}, basis_.data());
    file.add("delta.mean", {mean_.extent(0)}, mean_.data());
    file.add("solve.faces", {faces_.extent(0), 4}, faces_.data());
    file.add("solve.vertex", {vertices.extent(0)}, chosen.data());
}

}  // namespace rigcast::differential
