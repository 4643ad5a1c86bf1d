#include "rigcast/synthesis/playing/density_field.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/dense/pivoted_cholesky.h"
#include "rigcast/linalg/dense_products.h"
#include "rigcast/synthesis/playing/density_kernels.h"

namespace rigcast::synthesis {
namespace {

void check_positive(const char* argument, double value) {
    if (std::isfinite(value) && value > 0.0) return;
    throw bad_argument("DensityField", argument, std::to_string(value), "a finite number above 0");
}

void check_points(const char* argument, View<const double, 2> points, double variance, double length) {
    const std::int64_t most = DensityField::max_dimensions;
    if (points.extent(0) < 1 || points.extent(1) < 1 || points.extent(1) > most) {
        throw bad_argument("DensityField", argument, describe_shape<2>(points.extents()),
                           "(N, D), N at least 1, D from 1 to " + std::to_string(most));
    }
    check_finite("DensityField", argument, points);
    check_positive("variance", variance);
    check_positive("length", length);
}

double kernel(View<const double, 2> points, std::int64_t i, std::int64_t j, double variance, double length) {
    double square = 0.0;
    for (std::int64_t axis = 0; axis < points.extent(1); ++axis) {
        const double away = points(i, axis) - points(j, axis);
        square += away * away;
    }
    return variance * std::exp(-0.5 * square / (length * length));
}

linalg::PivotedCholesky factorized(View<const double, 2> points, double variance, double length, double tolerance) {
    const std::int64_t count = points.extent(0);
    const auto column = [&](std::int64_t pivot, double* out) {
        for (std::int64_t i = 0; i < count; ++i) out[i] = kernel(points, i, pivot, variance, length);
    };
    return {std::vector<double>(static_cast<std::size_t>(count), variance), column, tolerance * variance};
}

void transpose(std::vector<double>& matrix, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            std::swap(matrix[static_cast<std::size_t>(size * i + j)], matrix[static_cast<std::size_t>(size * j + i)]);
        }
    }
}

/// A = L^-T (C^T (C C^T + noise I)^-1 C) L^-1, and C^T (C C^T + noise I)^-1 C = (C^T C + noise I)^-1 C^T C.
std::vector<double> restricted_inverse(const linalg::PivotedCholesky& found, double noise) {
    const std::int64_t rank = found.rank();
    const std::int64_t count = found.size();
    std::vector<double> transposed(found.columns().size()), gram(static_cast<std::size_t>(rank * rank));
    for (std::int64_t r = 0; r < rank; ++r) {
        for (std::int64_t i = 0; i < count; ++i) {
            transposed[static_cast<std::size_t>(rank * i + r)] =
                found.columns()[static_cast<std::size_t>(count * r + i)];
        }
    }
    linalg::multiply(View<const double, 2>(found.columns().data(), {rank, count}),
                     View<const double, 2>(transposed.data(), {count, rank}),
                     View<double, 2>(gram.data(), {rank, rank}), 1);
    std::vector<double> shifted = gram;
    for (std::int64_t i = 0; i < rank; ++i) shifted[static_cast<std::size_t>((rank + 1) * i)] += noise;
    linalg::solve_positive_definite(View<const double, 2>(shifted.data(), {rank, rank}),
                                    View<double, 2>(gram.data(), {rank, rank}), 1);
    found.solve_transposed(gram);
    transpose(gram, rank);
    found.solve_transposed(gram);
    return gram;
}

}  // namespace

DensityField::DensityField(View<const double, 2> points, double variance, double length, double noise, double tolerance)
    : dimensions_(points.extent(1)), variance_(variance), length_(length) {
    check_points("points", points, variance, length);
    check_positive("noise", noise);
    check_positive("tolerance", tolerance);
    const linalg::PivotedCholesky found = factorized(points, variance, length, tolerance);
    const std::int64_t rank = found.rank();
    std::vector<double> centers(static_cast<std::size_t>(rank * dimensions_));
    for (std::int64_t r = 0; r < rank; ++r) {
        const double* point = points.row(found.pivots()[static_cast<std::size_t>(r)]);
        std::copy(point, point + dimensions_, centers.data() + dimensions_ * r);
    }
    const std::vector<double> matrix = restricted_inverse(found, noise);
    set({centers.data(), {rank, dimensions_}}, matrix.data());
}

DensityField::DensityField(View<const double, 2> centers, View<const double, 2> matrix, double variance, double length)
    : dimensions_(centers.extent(1)), variance_(variance), length_(length) {
    check_points("centers", centers, variance, length);
    check_shape<const double, 2>("DensityField", "matrix", matrix, {centers.extent(0), centers.extent(0)});
    check_finite("DensityField", "matrix", matrix);
    set(centers, matrix.data());
}

void DensityField::set(View<const double, 2> centers, const double* matrix) {
    centers_ = centers.extent(0);
    points_.assign(centers.begin(), centers.end());
    matrix_.assign(matrix, matrix + centers_ * centers_);
}

void DensityField::evaluate_side_by_side(std::int64_t count, const double* x, double* density, double* gradient,
                                         double* memory) const {
    query_density({points_.data(), matrix_.data(), centers_, dimensions_, variance_, length_, (count + 7) / 8 * 8, x,
                   density, gradient, memory});
}

void DensityField::evaluate(View<const double, 2> x, View<double, 1> density, View<double, 2> gradient,
                            int threads) const {
    check_threads("DensityField.evaluate", threads);
    const std::int64_t count = x.extent(0);
    check_shape<const double, 2>("DensityField.evaluate", "x", x, {-1, dimensions_});
    check_finite("DensityField.evaluate", "x", x);
    check_shape<double, 1>("DensityField.evaluate", "density", density, {count});
    check_shape<double, 2>("DensityField.evaluate", "gradient", gradient, {count, dimensions_});
    parallel_for((count + lanes - 1) / lanes, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t group = lanes * dimensions_;
        const Scratch::Lease<double> memory(static_cast<std::size_t>(2 * group + lanes + memory_size(lanes)));
        double* points = memory.data();
        double* slopes = points + group;
        double* values = slopes + group;
        for (std::int64_t first = lanes * begin; first < std::min(count, lanes * end); first += lanes) {
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
                const double* point = x.row(std::min(first + lane, count - 1));
                for (std::int64_t axis = 0; axis < dimensions_; ++axis) points[lanes * axis + lane] = point[axis];
            }
            const std::int64_t own = std::min(lanes, count - first);
            evaluate_side_by_side(own, points, values, slopes, values + lanes);
            for (std::int64_t lane = 0; lane < own; ++lane) {
                density(first + lane) = values[lane];
                for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
                    gradient(first + lane, axis) = slopes[lanes * axis + lane];
                }
            }
        }
    });
}

}  // namespace rigcast::synthesis
