#include "rigwright/transfer/example_fit.h"

#include <cmath>

namespace rigwright::transfer {
namespace {

/// The Cholesky factor of A (n, n), row-major, positive definite, in place of its lower triangle.
void factor_in_place(double* a, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::int64_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
        }
    }
}

/// Solves L x = b for `m` columns in place.
void solve_lower(const double* l, std::int64_t n, double* b, int m) {
    for (std::int64_t i = 0; i < n; ++i) {
        for (int c = 0; c < m; ++c) {
            double sum = b[i * m + c];
            for (std::int64_t k = 0; k < i; ++k) sum -= l[i * n + k] * b[k * m + c];
            b[i * m + c] = sum / l[i * n + i];
        }
    }
}

/// Solves L^T x = b for `m` columns in place.
void solve_upper(const double* l, std::int64_t n, double* b, int m) {
    for (std::int64_t i = n - 1; i >= 0; --i) {
        for (int c = 0; c < m; ++c) {
            double sum = b[i * m + c];
            for (std::int64_t k = i + 1; k < n; ++k) sum -= l[k * n + i] * b[k * m + c];
            b[i * m + c] = sum / l[i * n + i];
        }
    }
}

}  // namespace

ExampleFit::ExampleFit(View<const double, 2> weights, double beta)
    : num_examples_(weights.extent(0)),
      num_shapes_(weights.extent(1)),
      weights_(weights.begin(), weights.end()),
      beta_(beta) {}

double ExampleFit::stiffness(double change) const {
    constexpr double kappa = 0.1;
    const double ratio = (1.0 + change) / (kappa + change);
    return beta_ * ratio * ratio;
}

/// The Cholesky factor (J, J) of 1 + a S^-1 a^T.
void ExampleFit::factor(const double* stiffness, std::vector<double>* matrix) const {
    const std::int64_t J = num_examples_, K = num_shapes_;
    thread_local std::vector<double> scaled;  // a S^-1
    scaled.resize(J * K);
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) scaled[j * K + k] = weight(j, k) / stiffness[k];
    }
    matrix->assign(J * J, 0.0);
    for (std::int64_t i = 0; i < J; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = i == j ? 1.0 : 0.0;
            for (std::int64_t k = 0; k < K; ++k) sum += weight(i, k) * scaled[j * K + k];
            (*matrix)[i * J + j] = sum;
        }
    }
    factor_in_place(matrix->data(), J);
}

void ExampleFit::solve(const double* stiffness, int m, double* residual, double* columns) const {
    const std::int64_t J = num_examples_, K = num_shapes_;
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = weight(j, k);
            for (int c = 0; a != 0.0 && c < m; ++c) residual[j * m + c] -= a * columns[k * m + c];
        }
    }
    thread_local std::vector<double> matrix;
    factor(stiffness, &matrix);
    solve_lower(matrix.data(), J, residual, m);
    solve_upper(matrix.data(), J, residual, m);
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = weight(j, k) / stiffness[k];
            for (int c = 0; a != 0.0 && c < m; ++c) columns[k * m + c] += a * residual[j * m + c];
        }
    }
}

void ExampleFit::add_resolution(const double* stiffness, const double* weights, double* sums) const {
    const std::int64_t J = num_examples_;
    thread_local std::vector<double> matrix, column;
    factor(stiffness, &matrix);
    column.resize(J);
    for (std::int64_t k = 0; k < num_shapes_; ++k) {
        if (weights[k] == 0.0) continue;
        for (std::int64_t j = 0; j < J; ++j) column[j] = weight(j, k);
        solve_lower(matrix.data(), J, column.data(), 1);
        for (std::int64_t j = 0; j < J; ++j) sums[k] += weights[k] * column[j] * column[j] / stiffness[k];
    }
}

}  // namespace rigwright::transfer
