#include "rigcast/differential/fold.h"

#include <algorithm>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"

namespace rigcast::differential {
namespace {

constexpr std::int64_t columns_per_solve = 24;  // right-hand sides that SparseCholesky solves together

/// Overwrites columns x (V, m) with N^-1 L^T x; L is symmetric.
void apply(const Reconstructor& reconstructor, View<double, 2> x) {
    std::vector<double> given(x.begin(), x.end());
    reconstructor.apply_laplacian({given.data(), x.extents()}, x);
    reconstructor.solve_normal(x, 1);
}

/// Folds the columns [begin, end) of interleaved vectors (3 V, width), three right-hand sides each.
void fold_columns(const Reconstructor& reconstructor, const float* in, std::int64_t width, std::int64_t begin,
                  std::int64_t end, float* out) {
    const std::int64_t num_vertices = reconstructor.num_vertices();
    std::vector<double> memory(static_cast<std::size_t>(3 * num_vertices * (end - begin)));
    const View<double, 2> x(memory.data(), {num_vertices, 3 * (end - begin)});
    for (std::int64_t row = 0; row < 3 * num_vertices; ++row) {
        for (std::int64_t c = begin; c < end; ++c) x(row / 3, 3 * (c - begin) + row % 3) = in[row * width + c];
    }
    apply(reconstructor, x);
    for (std::int64_t row = 0; row < 3 * num_vertices; ++row) {
        for (std::int64_t c = begin; c < end; ++c) {
            out[row * width + c] = static_cast<float>(x(row / 3, 3 * (c - begin) + row % 3));
        }
    }
}

void fold_anchors(const Reconstructor& reconstructor, std::int64_t begin, std::int64_t end, float* out) {
    const auto& weights = reconstructor.anchor_weights();
    const std::int64_t num_vertices = reconstructor.num_vertices();
    const std::int64_t width = static_cast<std::int64_t>(weights.size());
    std::vector<double> memory(static_cast<std::size_t>(num_vertices * (end - begin)));
    const View<double, 2> x(memory.data(), {num_vertices, end - begin});
    for (std::int64_t a = begin; a < end; ++a) x(reconstructor.anchors()[a], a - begin) = weights[a] * weights[a];
    reconstructor.solve_normal(x, 1);
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        for (std::int64_t a = begin; a < end; ++a) out[k * width + a] = static_cast<float>(x(k, a - begin));
    }
}

}  // namespace

Folded fold(const Reconstructor& reconstructor, View<const float, 2> basis, View<const float, 1> mean, int threads) {
    const std::int64_t rows = 3 * reconstructor.num_vertices();
    const std::int64_t components = basis.extent(1);
    const std::int64_t anchors = static_cast<std::int64_t>(reconstructor.anchors().size());
    check_shape<const float, 2>("Reconstructor.folded", "basis", basis, {rows, -1});
    check_shape<const float, 1>("Reconstructor.folded", "mean", mean, {rows});
    check_finite("Reconstructor.folded", "basis", basis);
    check_finite("Reconstructor.folded", "mean", mean);
    Folded folded;
    folded.basis.resize(static_cast<std::size_t>(rows * components));
    folded.anchor.resize(static_cast<std::size_t>(rows / 3 * anchors));
    folded.constant.resize(static_cast<std::size_t>(rows));
    parallel_for(components, columns_per_solve / 3, threads, [&](std::int64_t begin, std::int64_t end) {
        fold_columns(reconstructor, basis.data(), components, begin, end, folded.basis.data());
    });
    parallel_for(anchors, columns_per_solve, threads, [&](std::int64_t begin, std::int64_t end) {
        fold_anchors(reconstructor, begin, end, folded.anchor.data());
    });
    fold_columns(reconstructor, mean.data(), 1, 0, 1, folded.constant.data());
    return folded;
}

}  // namespace rigcast::differential
