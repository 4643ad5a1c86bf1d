#include "rigcast/differential/reconstructor.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/differential/anchored_mesh.h"
#include "rigcast/differential/normal_matrix.h"

namespace rigcast::differential {
namespace {

constexpr std::int64_t frames_per_solve = 8;  // 24 right-hand sides, which SparseCholesky solves together

std::vector<double> squared(const std::vector<double>& weights) {
    std::vector<double> result;
    for (const double w : weights) result.push_back(w * w);
    return result;
}

template <class T>
View<const T, 1> as_view(const std::vector<T>& list) {
    return {list.data(), {static_cast<std::int64_t>(list.size())}};
}

void check_overflow(const char* function, const char* argument, const float* values, std::int64_t count) {
    if (std::all_of(values, values + count, [](float x) { return std::isfinite(x); })) return;
    throw bad_argument(function, argument, "so large that the result overflows float32", "smaller");
}

/// Checks the mesh before anything is computed from it.
mesh::Neighbors checked_neighbors(View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                                  View<const std::int32_t, 1> anchors, View<const double, 1> weights) {
    check_mesh("Reconstructor", faces, num_vertices);
    check_anchors("Reconstructor", faces, num_vertices, anchors);
    check_shape<const double, 1>("Reconstructor", "anchor_weight", weights, {anchors.extent(0)});
    for (const double w : weights) {
        if (!(w > 0.0) || !std::isfinite(w * w)) {
            throw bad_argument("Reconstructor", "anchor_weight", std::to_string(w), "finite and above 0");
        }
    }
    return mesh::Neighbors(faces, num_vertices);
}

}  // namespace

Reconstructor::Reconstructor(View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                             View<const std::int32_t, 1> anchors, View<const double, 1> anchor_weights)
    : num_vertices_(num_vertices),
      neighbors_(checked_neighbors(faces, num_vertices, anchors, anchor_weights)),
      anchors_(anchors.begin(), anchors.end()),
      weights_(anchor_weights.begin(), anchor_weights.end()) {
    cholesky_ = factorize_normal_matrix(neighbors_, anchors, as_view(squared(weights_)));
}

void Reconstructor::apply_laplacian(View<const double, 2> x, View<double, 2> out) const {
    differential::apply_laplacian(neighbors_, x, out);
}

void Reconstructor::gain(View<double, 1> out, int threads) const {
    check_shape<double, 1>("Reconstructor.gain", "out", out, {num_vertices_});
    error_variances(*cholesky_, as_view(anchors_), as_view(squared(weights_)), out, threads);
    for (double& value : out) value = std::sqrt(value);
}

void Reconstructor::encode(View<const float, 3> displacements, View<float, 3> delta, int threads) const {
    constexpr const char* name = "Reconstructor.encode";
    check_shape<const float, 3>(name, "displacements", displacements, {-1, num_vertices_, 3});
    check_shape<float, 3>(name, "delta", delta, {displacements.extent(0), num_vertices_, 3});
    check_finite(name, "displacements", displacements);
    parallel_for(displacements.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            const float* d = displacements.row(t);
            for (std::int64_t k = 0; k < num_vertices_; ++k) {
                double sum[3] = {};
                for (std::int32_t e = neighbors_.start[k]; e < neighbors_.start[k + 1]; ++e) {
                    const float* other = d + 3 * std::int64_t{neighbors_.vertex[e]};
                    for (int axis = 0; axis < 3; ++axis) sum[axis] += double{d[3 * k + axis]} - other[axis];
                }
                for (int axis = 0; axis < 3; ++axis) delta(t, k, axis) = static_cast<float>(sum[axis]);
            }
            check_overflow(name, "displacements", delta.row(t), 3 * num_vertices_);
        }
    });
}

void Reconstructor::solve(View<const float, 3> delta, View<const float, 3> anchor_positions,
                          View<float, 3> displacements, int threads) const {
    constexpr const char* name = "Reconstructor.solve";
    const std::int64_t frames = delta.extent(0);
    check_shape<const float, 3>(name, "delta", delta, {-1, num_vertices_, 3});
    check_shape<const float, 3>(name, "anchor_positions", anchor_positions,
                                {frames, static_cast<std::int64_t>(anchors_.size()), 3});
    check_shape<float, 3>(name, "displacements", displacements, {frames, num_vertices_, 3});
    check_finite(name, "delta", delta);
    check_finite(name, "anchor_positions", anchor_positions);
    parallel_for(frames, frames_per_solve, threads, [&](std::int64_t begin, std::int64_t end) {
        solve_frames(delta, anchor_positions, displacements, begin, end, threads);
    });
}

void Reconstructor::solve_frames(View<const float, 3> delta, View<const float, 3> anchor_positions,
                                 View<float, 3> displacements, std::int64_t begin, std::int64_t end,
                                 int threads) const {
    const std::int64_t columns = 3 * (end - begin);
    std::vector<double> memory(static_cast<std::size_t>(2 * num_vertices_ * columns));
    const View<double, 2> given(memory.data(), {num_vertices_, columns});
    const View<double, 2> x(given.end(), {num_vertices_, columns});
    for (std::int64_t t = begin; t < end; ++t) {
        for (std::int64_t k = 0; k < num_vertices_; ++k) {
            for (int axis = 0; axis < 3; ++axis) given(k, 3 * (t - begin) + axis) = delta(t, k, axis);
        }
    }
    apply_laplacian(given, x);  // L is symmetric
    for (std::size_t a = 0; a < anchors_.size(); ++a) {
        double* row = x.row(anchors_[a]);
        for (std::int64_t t = begin; t < end; ++t) {
            for (int axis = 0; axis < 3; ++axis) {
                row[3 * (t - begin) + axis] += weights_[a] * weights_[a] * anchor_positions(t, a, axis);
            }
        }
    }
    solve_normal(x, threads);
    for (std::int64_t t = begin; t < end; ++t) {
        for (std::int64_t k = 0; k < num_vertices_; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                displacements(t, k, axis) = static_cast<float>(x(k, 3 * (t - begin) + axis));
            }
        }
        check_overflow("Reconstructor.solve", "delta", displacements.row(t), 3 * num_vertices_);
    }
}

}  // namespace rigcast::differential
