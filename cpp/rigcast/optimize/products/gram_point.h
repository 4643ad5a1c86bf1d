#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/gram_kernels.h"
#include "rigcast/linalg/gram_matrix.h"
#include "rigcast/optimize/products/product_model.h"

namespace rigcast::optimize {

/// The objective of one frame in Gram space, over K variables x with the activations phi(x) of N columns:
///   phi^T G phi - 2 p^T phi + linear^T x + sum_k quadratic_k x_k^2   on   lower <= x <= upper.
/// If G = Phi^T Omega Phi and p = Phi^T Omega b, for offsets Phi, weights Omega and a target b, the first two terms are
/// |Phi phi(x) - b|^2_Omega without the constant b^T Omega b.
struct Terms {
    const double* projection;  // p (N)
    const double* linear;      // (K)
    const double* quadratic;   // (K), >= 0
    const double* lower;       // (K)
    const double* upper;       // (K)
};

/// A point x of one frame's box with its activations phi and the residual r = G phi - p. The residual is half the
/// gradient of phi^T G phi - 2 p^T phi with respect to phi.
/// Cost: a step updates phi and r with one row of G per activation that changes. The objective and its slopes then need
/// no product with G.
/// Not thread-safe: use one per thread.
class GramPoint {
public:
    /// Keeps references to both arguments. Call `load`, then `set`, before anything else.
    GramPoint(const ProductModel& products, const linalg::GramMatrix& gram);

    const ProductModel& products() const { return products_; }
    const linalg::GramMatrix& gram() const { return gram_; }
    const Terms& terms() const { return terms_; }
    /// Replaces the terms; their arrays must outlive their use. Call `set` if the projection has changed.
    void load(const Terms& terms) { terms_ = terms; }
    /// Moves to a point x (K) inside the box. If x is the current point, only p is replaced in r, in O(N). Otherwise
    /// phi and r are computed from scratch: one row of G per activation that is not 0.
    void set(const double* x);
    /// Computes phi and r from scratch. Call it after many small steps, whose rounding errors add up in r.
    void refresh();
    const double* x() const { return x_.data(); }
    const double* residual() const { return r_.data(); }

    /// The value of the objective (see Terms).
    double objective() const;
    /// The objective's slope along one variable, to its right (side > 0) or left.
    double slope(std::int64_t variable, int side) const;
    /// The slopes to the right of all variables (K).
    void slopes(double* right) const;
    /// The largest rate (>= 0) at which the objective falls if a single variable moves inside the box. It is 0 at a
    /// point that no single variable improves to first order, and NaN after an overflow.
    double optimality() const;
    /// Moves one variable to its best value in the box. Returns true if it moved.
    /// Method: between two neighboring knots (see ProductModel::knots) the objective is a polynomial in the variable: a
    /// parabola, or of higher degree if tied shapes share the variable. It is minimized on each of these pieces.
    bool minimize(std::int64_t variable);
    /// Moves all variables at once. Returns the change of the objective. It is computed from the changes of x and phi,
    /// not as a difference of two objectives, so that a small change has no cancellation error.
    double move(const double* x);
    /// Restores the point before the last `move`. Call it at most once per `move`.
    void undo();

private:
    void assign(std::int64_t variable, double value);
    void update_all();
    std::int64_t update_activation(std::int32_t column, std::int64_t num_changes);
    void update_residual(std::int64_t num_changes);
    void expand_activations(std::int64_t variable, double low, double high);
    void expand_objective(std::int64_t variable);

    const ProductModel& products_;
    const linalg::GramMatrix& gram_;
    const linalg::GramKernels& kernels_;
    Terms terms_{};
    std::vector<double> x_;                    // (K)
    std::vector<double> phi_;                  // (N)
    LineVector<double> r_;                     // as wide as a row of the Gram matrix
    std::vector<double> residual_projection_;  // the p in r_, which may be older than terms_; empty before `set`
    // before the last `move`
    std::vector<double> old_x_;
    std::vector<double> old_phi_;
    LineVector<double> old_r_;
    // the activations that the last update changed
    std::int64_t num_changes_ = 0;
    std::vector<double> changes_;
    std::vector<std::int32_t> changed_columns_;
    std::vector<const double*> changed_rows_;  // of the Gram matrix
    // along one variable, as polynomials in its step h: coefficients, ascending powers
    std::vector<double> activation_polynomials_;  // (degree + 1, columns that it drives): changes of their phi
    std::vector<double> objective_polynomial_;    // change of the objective
};

}  // namespace rigcast::optimize
