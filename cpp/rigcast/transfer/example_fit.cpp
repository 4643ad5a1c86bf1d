#include <Eigen/Cholesky>
#include <cmath>

#include "rigcast/transfer/deformation_transfer.h"

namespace rigcast::transfer {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

ExampleFit::ExampleFit(View<const double, 2> weights, double beta)
    : num_examples_(weights.extent(0)),
      num_shapes_(weights.extent(1)),
      weights_(weights.begin(), weights.end()),
      beta_(beta) {}

double ExampleFit::stiffness(double change) const {
    constexpr double kappa = 0.1;  // of Li et al. 2010, equation 7
    const double ratio = (1.0 + change) / (kappa + change);
    return beta_ * ratio * ratio;
}

/// Writes the lower triangular L (J, J) of L L^T = 1 + a S^-1 a^T.
void ExampleFit::factorize(const double* stiffness, std::vector<double>* matrix) const {
    const std::int64_t J = num_examples_;
    const std::int64_t K = num_shapes_;
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
    Eigen::Map<Matrix> entries(matrix->data(), J, J);
    Eigen::Ref<Matrix> in_place(entries);
    const Eigen::LLT<Eigen::Ref<Matrix>> factorized(in_place);
}

void ExampleFit::solve(const double* stiffness, int m, double* residual, double* columns) const {
    const std::int64_t J = num_examples_;
    const std::int64_t K = num_shapes_;
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = weight(j, k);
            for (int c = 0; a != 0.0 && c < m; ++c) residual[j * m + c] -= a * columns[k * m + c];
        }
    }
    thread_local std::vector<double> matrix;
    factorize(stiffness, &matrix);
    const Eigen::Map<const Matrix> lower(matrix.data(), J, J);
    Eigen::Map<Matrix> solution(residual, J, m);
    lower.triangularView<Eigen::Lower>().solveInPlace(solution);
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(solution);
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = weight(j, k) / stiffness[k];
            for (int c = 0; a != 0.0 && c < m; ++c) columns[k * m + c] += a * residual[j * m + c];
        }
    }
}

void ExampleFit::add_resolution(const double* stiffness, const double* weights, double* sums) const {
    const std::int64_t J = num_examples_;
    thread_local std::vector<double> matrix;
    thread_local Eigen::VectorXd column;
    factorize(stiffness, &matrix);
    const Eigen::Map<const Matrix> lower(matrix.data(), J, J);
    column.resize(J);
    for (std::int64_t k = 0; k < num_shapes_; ++k) {
        if (weights[k] == 0.0) continue;
        for (std::int64_t j = 0; j < J; ++j) column[j] = weight(j, k);
        lower.triangularView<Eigen::Lower>().solveInPlace(column);
        for (std::int64_t j = 0; j < J; ++j) sums[k] += weights[k] * column[j] * column[j] / stiffness[k];
    }
}

}  // namespace rigcast::transfer
