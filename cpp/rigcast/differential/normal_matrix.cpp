#include "rigcast/differential/normal_matrix.h"

#include <algorithm>

namespace rigcast::differential {
namespace {

constexpr std::int64_t anchors_per_solve = 24;  // right-hand sides that SparseCholesky solves together

/// Triplets of a matrix.
struct Triplets {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    std::vector<double> value;

    void add(std::int32_t r, std::int32_t c, double v) {
        row.push_back(r);
        column.push_back(c);
        value.push_back(v);
    }
};

template <class T>
View<const T, 1> as_view(const std::vector<T>& list) {
    return {list.data(), {static_cast<std::int64_t>(list.size())}};
}

}  // namespace

std::unique_ptr<const linalg::SparseCholesky> factorize_normal_matrix(const mesh::Neighbors& neighbors,
                                                                      View<const std::int32_t, 1> anchors,
                                                                      View<const double, 1> squared_weights) {
    const std::int32_t size = static_cast<std::int32_t>(neighbors.start.size()) - 1;
    Triplets normal;
    for (std::int32_t k = 0; k < size; ++k) {  // row k of L is l = D_k e_k - sum_m e_m; its share of L^T L is l l^T
        const std::int32_t* begin = neighbors.vertex.data() + neighbors.start[k];
        const std::int32_t* end = neighbors.vertex.data() + neighbors.start[k + 1];
        const double degree = static_cast<double>(end - begin);
        normal.add(k, k, degree * degree);
        for (const std::int32_t* i = begin; i < end; ++i) {
            normal.add(k, *i, -degree);
            normal.add(*i, k, -degree);
            for (const std::int32_t* j = begin; j < end; ++j) normal.add(*i, *j, 1.0);
        }
    }
    for (std::int64_t a = 0; a < anchors.extent(0); ++a) normal.add(anchors(a), anchors(a), squared_weights(a));
    return std::make_unique<const linalg::SparseCholesky>(size, as_view(normal.row), as_view(normal.column),
                                                          as_view(normal.value));
}

void apply_laplacian(const mesh::Neighbors& neighbors, View<const double, 2> x, View<double, 2> out) {
    const std::int64_t width = x.extent(1);
    for (std::int64_t k = 0; k < x.extent(0); ++k) {
        const std::int32_t begin = neighbors.start[k];
        const std::int32_t end = neighbors.start[k + 1];
        double* sum = out.row(k);
        for (std::int64_t c = 0; c < width; ++c) sum[c] = static_cast<double>(end - begin) * x(k, c);
        for (std::int32_t e = begin; e < end; ++e) {
            const double* other = x.row(neighbors.vertex[e]);
            for (std::int64_t c = 0; c < width; ++c) sum[c] -= other[c];
        }
    }
}

void error_variances(const linalg::SparseCholesky& normal, View<const std::int32_t, 1> anchors,
                     View<const double, 1> squared_weights, View<double, 1> out, int threads) {
    const std::int64_t size = normal.size();
    normal.inverse_diagonal(out);
    std::vector<double> memory(static_cast<std::size_t>(size * anchors_per_solve));
    for (std::int64_t first = 0; first < anchors.extent(0); first += anchors_per_solve) {
        const std::int64_t count = std::min(anchors_per_solve, anchors.extent(0) - first);
        const View<double, 2> columns(memory.data(), {size, count});
        std::fill(columns.begin(), columns.end(), 0.0);
        for (std::int64_t a = 0; a < count; ++a) columns(anchors(first + a), a) = 1.0;
        normal.solve(columns, columns, threads);
        for (std::int64_t k = 0; k < size; ++k) {
            for (std::int64_t a = 0; a < count; ++a) {
                out(k) -= squared_weights(first + a) * columns(k, a) * columns(k, a);
            }
        }
    }
    for (double& variance : out) variance = std::max(variance, 0.0);  // rounding at anchors of large weight
}

}  // namespace rigcast::differential
