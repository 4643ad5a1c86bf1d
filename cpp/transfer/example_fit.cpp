#include "transfer/example_fit.h"

#include <cmath>

namespace rigwright::transfer {
namespace {

/// Solves A x = b for `m` columns in place by Cholesky; A (n, n) row-major, positive definite, lower triangle used and
/// overwritten.
void solve_in_place(double* a, std::int64_t n, double* b, int m) {
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::int64_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
        }
    }
    for (std::int64_t i = 0; i < n; ++i) {
        for (int c = 0; c < m; ++c) {
            double sum = b[i * m + c];
            for (std::int64_t k = 0; k < i; ++k) sum -= a[i * n + k] * b[k * m + c];
            b[i * m + c] = sum / a[i * n + i];
        }
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
        for (int c = 0; c < m; ++c) {
            double sum = b[i * m + c];
            for (std::int64_t k = i + 1; k < n; ++k) sum -= a[k * n + i] * b[k * m + c];
            b[i * m + c] = sum / a[i * n + i];
        }
    }
}

}  // namespace

ExampleFit::ExampleFit(View<const double, 2> weights, double beta)
    : num_examples_(weights.extent(0)),
      num_shapes_(weights.extent(1)),
      weights_(weights.begin(), weights.end()),
      beta_(beta) {}

double ExampleFit::stiffness(double relative_change) const {
    constexpr double kappa = 0.1;
    const double ratio = (1.0 + relative_change) / (kappa + relative_change);
    return beta_ * ratio * ratio;
}

void ExampleFit::solve(const double* stiffness, int m, double* residual, double* columns) const {
    const std::int64_t J = num_examples_, K = num_shapes_;
    thread_local std::vector<double> matrix, scaled;
    matrix.assign(J * J, 0.0);
    scaled.resize(J * K);  // a S^-1
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = weights_[j * K + k];
            scaled[j * K + k] = a / stiffness[k];
            for (int c = 0; a != 0.0 && c < m; ++c) residual[j * m + c] -= a * columns[k * m + c];
        }
    }
    for (std::int64_t i = 0; i < J; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = i == j ? 1.0 : 0.0;
            for (std::int64_t k = 0; k < K; ++k) sum += weights_[i * K + k] * scaled[j * K + k];
            matrix[i * J + j] = sum;
        }
    }
    solve_in_place(matrix.data(), J, residual, m);
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = scaled[j * K + k];
            for (int c = 0; a != 0.0 && c < m; ++c) columns[k * m + c] += a * residual[j * m + c];
        }
    }
}

}  // namespace rigwright::transfer
