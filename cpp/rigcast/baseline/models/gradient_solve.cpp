#include "rigcast/baseline/models/gradient_solve.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/error.h"

namespace rigcast::baseline {
namespace {

constexpr double flat = 1e-12;  // area over the square of the longest edge, at and below which a triangle has none

/// Triplets of a matrix.
struct Triplets {
    void add(std::int32_t row, std::int32_t column, double value) {
        rows.push_back(row);
        columns.push_back(column);
        values.push_back(value);
    }
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

/// Writes the gradients of the three hat functions times the area (3, 3). Returns the area, 0 for a flat triangle.
double hat_gradients(View<const float, 2> rest, const std::int32_t* corners, double* weights) {
    double p[3][3], edge[3][3];
    double longest = 0.0;
    for (int c = 0; c < 3; ++c) {
        for (int e = 0; e < 3; ++e) p[c][e] = rest(corners[c], e);
    }
    for (int c = 0; c < 3; ++c) {  // the edge opposite to corner c
        double square = 0.0;
        for (int e = 0; e < 3; ++e) {
            edge[c][e] = p[(c + 2) % 3][e] - p[(c + 1) % 3][e];
            square += edge[c][e] * edge[c][e];
        }
        longest = std::max(longest, square);
    }
    double normal[3];
    for (int e = 0; e < 3; ++e) {
        const int i = (e + 1) % 3, j = (e + 2) % 3;
        normal[e] = edge[2][i] * edge[0][j] - edge[2][j] * edge[0][i];
    }
    const double twice = std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(0.5 * twice > flat * longest)) {
        std::fill_n(weights, 9, 0.0);
        return 0.0;
    }
    for (int c = 0; c < 3; ++c) {  // area * grad = normal x edge / 2, for the unit normal
        for (int e = 0; e < 3; ++e) {
            const int i = (e + 1) % 3, j = (e + 2) % 3;
            weights[3 * c + e] = 0.5 * (normal[i] * edge[c][j] - normal[j] * edge[c][i]) / twice;
        }
    }
    return 0.5 * twice;
}

}  // namespace

GradientSolve::GradientSolve(View<const float, 2> rest, View<const std::int32_t, 2> triangles,
                             View<const std::int32_t, 1> anchors, const char* function, const char* argument)
    : triangles_(triangles), weight_(static_cast<std::size_t>(9 * triangles.extent(0))) {
    Triplets matrix;
    for (std::int32_t v = 0; v < rest.extent(0); ++v) matrix.add(v, v, 0.0);
    for (const std::int32_t a : anchors) matrix.add(a, a, 1.0);
    for (std::int64_t f = 0; f < triangles.extent(0); ++f) {
        double* w = weight_.data() + 9 * f;
        const double area = hat_gradients(rest, triangles.row(f), w);
        if (area == 0.0) continue;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double* a = w + 3 * i;
                const double* b = w + 3 * j;
                matrix.add(triangles(f, i), triangles(f, j), (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / area);
            }
        }
    }
    const auto count = static_cast<std::int64_t>(matrix.rows.size());
    try {
        solver_ = std::make_unique<const linalg::SparseCholesky>(
            rest.extent(0), View<const std::int32_t, 1>(matrix.rows.data(), {count}),
            View<const std::int32_t, 1>(matrix.columns.data(), {count}),
            View<const double, 1>(matrix.values.data(), {count}));
    } catch (const NumericalError&) {
        throw bad_argument(function, argument, "missing in a connected part of the mesh", "in every part");
    }
}

void GradientSolve::add(std::int64_t f, const double* gradient, double* rhs, std::int64_t stride) const {
    for (int c = 0; c < 3; ++c) {
        const double* w = weights(f, c);
        double* row = rhs + stride * triangles_(f, c);
        for (int e = 0; e < 3; ++e) {
            row[e] += gradient[3 * e] * w[0] + gradient[3 * e + 1] * w[1] + gradient[3 * e + 2] * w[2];
        }
    }
}

void GradientSolve::solve(View<double, 2> rhs, int threads) const {
    solver_->solve(rhs, rhs, threads);
}

}  // namespace rigcast::baseline
