#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::transfer {

/// Regularized least squares of one triangle: for weights a (J, K) of J examples and a prior X* (K, m) of K shapes,
///   minimize sum_j |D_j - sum_k a_jk X_k|^2 + sum_k s_k |X_k - X*_k|^2   over X (K, m).
/// Method: the matrix is a diagonal plus rank J; by Woodbury's identity, with S = diag(s),
///   X = X* + S^-1 a^T (1 + a S^-1 a^T)^-1 (D - a X*),
/// which is a J x J system instead of a K x K one, and positive definite for all a.
class ExampleFit {
public:
    /// `beta` scales all stiffnesses s.
    ExampleFit(View<const double, 2> weights, double beta);

    std::int64_t num_examples() const { return num_examples_; }
    std::int64_t num_shapes() const { return num_shapes_; }
    double weight(std::int64_t example, std::int64_t shape) const { return weights_[example * num_shapes_ + shape]; }

    /// beta ((1 + r) / (0.1 + r))^2, the stiffness of a shape that changes the triangle by r times its typical change:
    /// a shape that hardly moves a triangle is kept there (Li et al. 2010, equation 7).
    double stiffness(double change) const;

    /// Adds weights (K) times the diagonal of the resolution matrix S^-1 a^T (1 + a S^-1 a^T)^-1 a to `sums` (K). The
    /// diagonal is the share of an error of the shape's prior that the solve corrects: 0 if no example uses the shape,
    /// near 1 if the examples separate it from all others.
    void add_resolution(const double* stiffness, const double* weights, double* sums) const;

    /// Overwrites X* in `columns` (K, m) with X. `stiffness` (K) is s; `residual` (J, m) is D and is overwritten.
    void solve(const double* stiffness, int m, double* residual, double* columns) const;

private:
    void factorize(const double* stiffness, std::vector<double>* matrix) const;

    std::int64_t num_examples_;
    std::int64_t num_shapes_;
    std::vector<double> weights_;
    double beta_;
};

}  // namespace rigcast::transfer
