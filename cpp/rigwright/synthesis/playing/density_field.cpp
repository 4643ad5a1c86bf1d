#include "rigwright/synthesis/playing/density_field.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rigwright/core/check.h"
#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"
#include "rigwright/linalg/dense_products.h"
#include "rigwright/synthesis/playing/density_kernels.h"

namespace rigwright::synthesis {
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

/// A pivoted Cholesky factorization K ~ C C^T of the kernel matrix: C by columns, (R, N), and its pivots (R).
struct PivotedCholesky {
    std::vector<double> columns;
    std::vector<std::int64_t> pivots;

    PivotedCholesky(View<const double, 2> points, double variance, double length, double tolerance) {
        const std::int64_t count = points.extent(0);
        std::vector<double> left(static_cast<std::size_t>(count), variance);
        while (static_cast<std::int64_t>(pivots.size()) < count) {
            const auto largest = std::max_element(left.begin(), left.end());
            if (*largest <= tolerance * variance) return;
            append(points, largest - left.begin(), variance, length, left);
        }
    }

    void append(View<const double, 2> points, std::int64_t pivot, double variance, double length,
                std::vector<double>& left) {
        const std::int64_t count = points.extent(0);
        const double root = std::sqrt(left[static_cast<std::size_t>(pivot)]);
        const std::size_t rank = pivots.size();
        columns.resize((rank + 1) * static_cast<std::size_t>(count));
        double* column = columns.data() + rank * static_cast<std::size_t>(count);
        for (std::int64_t i = 0; i < count; ++i) column[i] = kernel(points, i, pivot, variance, length);
        for (std::size_t earlier = 0; earlier < rank; ++earlier) {
            const double* other = columns.data() + earlier * static_cast<std::size_t>(count);
            const double share = other[pivot];
            for (std::int64_t i = 0; i < count; ++i) column[i] -= share * other[i];
        }
        for (std::int64_t i = 0; i < count; ++i) {
            column[i] /= root;
            left[static_cast<std::size_t>(i)] -= column[i] * column[i];
        }
        left[static_cast<std::size_t>(pivot)] = 0.0;
        pivots.push_back(pivot);
    }
};

/// Overwrites rhs (R, R) with L^-T rhs, where L (R, R) are the rows `pivots` of C: row p of C ends at column p.
void solve_transposed(const PivotedCholesky& found, std::int64_t count, std::vector<double>& rhs) {
    const std::int64_t rank = static_cast<std::int64_t>(found.pivots.size());
    const auto entry = [&](std::int64_t row, std::int64_t column) {
        return found.columns[static_cast<std::size_t>(column * count + found.pivots[static_cast<std::size_t>(row)])];
    };
    for (std::int64_t i = rank - 1; i >= 0; --i) {
        double* own = rhs.data() + rank * i;
        for (std::int64_t later = i + 1; later < rank; ++later) {
            const double share = entry(later, i);
            for (std::int64_t j = 0; j < rank; ++j) own[j] -= share * rhs[static_cast<std::size_t>(rank * later + j)];
        }
        for (std::int64_t j = 0; j < rank; ++j) own[j] /= entry(i, i);
    }
}

void transpose(std::vector<double>& matrix, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            std::swap(matrix[static_cast<std::size_t>(size * i + j)], matrix[static_cast<std::size_t>(size * j + i)]);
        }
    }
}

/// A = L^-T (C^T (C C^T + noise I)^-1 C) L^-1, and C^T (C C^T + noise I)^-1 C = (C^T C + noise I)^-1 C^T C.
std::vector<double> restricted_inverse(const PivotedCholesky& found, std::int64_t count, double noise) {
    const std::int64_t rank = static_cast<std::int64_t>(found.pivots.size());
    const std::size_t size = static_cast<std::size_t>(rank * rank);
    std::vector<double> transposed(found.columns.size()), gram(size);
    for (std::int64_t r = 0; r < rank; ++r) {
        for (std::int64_t i = 0; i < count; ++i) {
            transposed[static_cast<std::size_t>(rank * i + r)] = found.columns[static_cast<std::size_t>(count * r + i)];
        }
    }
    linalg::multiply(View<const double, 2>(found.columns.data(), {rank, count}),
                     View<const double, 2>(transposed.data(), {count, rank}),
                     View<double, 2>(gram.data(), {rank, rank}), 1);
    std::vector<double> shifted = gram;
    for (std::int64_t i = 0; i < rank; ++i) shifted[static_cast<std::size_t>((rank + 1) * i)] += noise;
    linalg::solve_positive_definite(View<const double, 2>(shifted.data(), {rank, rank}),
                                    View<double, 2>(gram.data(), {rank, rank}), 1);
    solve_transposed(found, count, gram);
    transpose(gram, rank);
    solve_transposed(found, count, gram);
    return gram;
}

}  // namespace

DensityField::DensityField(View<const double, 2> points, double variance, double length, double noise, double tolerance)
    : dimensions_(points.extent(1)), variance_(variance), length_(length) {
    check_points("points", points, variance, length);
    check_positive("noise", noise);
    check_positive("tolerance", tolerance);
    const PivotedCholesky found(points, variance, length, tolerance);
    const std::int64_t rank = static_cast<std::int64_t>(found.pivots.size());
    std::vector<double> centers(static_cast<std::size_t>(rank * dimensions_));
    for (std::int64_t r = 0; r < rank; ++r) {
        const double* point = points.row(found.pivots[static_cast<std::size_t>(r)]);
        std::copy(point, point + dimensions_, centers.data() + dimensions_ * r);
    }
    const std::vector<double> matrix = restricted_inverse(found, points.extent(0), noise);
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

void DensityField::evaluate_side_by_side(const double* x, double* density, double* gradient, double* memory) const {
    query_density(
        {points_.data(), matrix_.data(), centers_, dimensions_, variance_, length_, x, density, gradient, memory});
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
        const Scratch::Lease<double> memory(static_cast<std::size_t>(2 * group + lanes + memory_size()));
        double* points = memory.data();
        double* slopes = points + group;
        double* values = slopes + group;
        for (std::int64_t first = lanes * begin; first < std::min(count, lanes * end); first += lanes) {
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
                const double* point = x.row(std::min(first + lane, count - 1));
                for (std::int64_t axis = 0; axis < dimensions_; ++axis) points[lanes * axis + lane] = point[axis];
            }
            evaluate_side_by_side(points, values, slopes, values + lanes);
            for (std::int64_t lane = 0; lane < std::min(lanes, count - first); ++lane) {
                density(first + lane) = values[lane];
                for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
                    gradient(first + lane, axis) = slopes[lanes * axis + lane];
                }
            }
        }
    });
}

}  // namespace rigwright::synthesis
