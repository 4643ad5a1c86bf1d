#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::transfer {

/// Small regularized least squares, one for each triangle: for given weights a (J, K) and prior X* (K, m),
///   minimize sum_j |D_j - sum_k a_jk X_k|^2 + sum_k s_k |X_k - X*_k|^2   over X (K, m).
/// The matrix is a diagonal plus rank J; by Woodbury's identity, with S = diag(s),
///   X = X* + S^-1 a^T (1 + a S^-1 a^T)^-1 (D - a X*),
/// a J x J system instead of a K x K one, positive definite whatever a is.
class ExampleFit {
public:
    /// `beta` scales every stiffness.
    ExampleFit(View<const double, 2> weights, double beta);

    std::int64_t num_examples() const { return num_examples_; }
    std::int64_t num_shapes() const { return num_shapes_; }
    double weight(std::int64_t example, std::int64_t shape) const { return weights_[example * num_shapes_ + shape]; }

    /// The stiffness beta ((1 + r) / (0.1 + r))^2 of a shape that changes something r times as much as it typically
    /// changes what it moves: what a shape hardly moves stays as it is (Li et al. 2010, equation 7).
    double stiffness(double change) const;

    /// Adds to `sums` (K) how much of each shape's own error the solve finds, times `weights` (K): the diagonal of the
    /// resolution matrix S^-1 a^T (1 + a S^-1 a^T)^-1 a, 0 where no example uses the shape, near 1 where examples tell
    /// it apart from all others.
    void add_resolution(const double* stiffness, const double* weights, double* sums) const;

    /// Overwrites X* in `columns` (K, m) by X. `stiffness` (K); `residual` holds D (J, m) and is overwritten.
    void solve(const double* stiffness, int m, double* residual, double* columns) const;

private:
    void factor(const double* stiffness, std::vector<double>* matrix) const;

    std::int64_t num_examples_, num_shapes_;
    std::vector<double> weights_;
    double beta_;
};

}  // namespace rigwright::transfer
