#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/linalg/gram_kernels.h"
#include "rigwright/linalg/gram_matrix.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::optimize {

/// The objective of one frame in Gram space, over K variables x with the activations phi(x) of N columns:
///   phi^T G phi - 2 p^T phi + linear^T x + sum_k quadratic_k x_k^2   on   lower <= x <= upper.
/// With G = Phi^T Omega Phi and p = Phi^T Omega b this is |Phi phi(x) - b|^2_Omega without its constant b^T Omega b.
struct Terms {
    const double* projection;  // p (N)
    const double* linear;      // (K)
    const double* quadratic;   // (K), >= 0
    const double* lower;       // (K)
    const double* upper;       // (K)
};

/// A point x of one frame's box with its activations phi and the residual r = G phi - p, half the objective's gradient
/// with respect to phi. Steps update both, at the cost of one row of G per activation that changes; evaluating the
/// objective and its slopes then needs no product with G. Not thread-safe: use one per thread.
class GramPoint {
public:
    /// Keeps references to both. Call `load`, then `set`, before anything else.
    GramPoint(const ProductModel& products, const linalg::GramMatrix& gram);

    const ProductModel& products() const { return products_; }
    const linalg::GramMatrix& gram() const { return gram_; }
    const Terms& terms() const { return terms_; }
    /// Replaces the terms; their arrays must outlive their use. Call `set` if the projection has changed.
    void load(const Terms& terms) { terms_ = terms; }
    /// Moves to a point inside the box. Costs O(N) if x is the current point, a computation from scratch otherwise.
    void set(const double* x);
    /// Computes phi and r from scratch: rounding adds up in r over many small steps.
    void refresh();
    const double* x() const { return x_.data(); }
    const double* residual() const { return r_.data(); }

    /// The value of the objective (see Terms).
    double objective() const;
    /// The objective's slope along one variable, to its right (side > 0) or left.
    double slope(std::int64_t variable, int side) const;
    /// The slopes to the right of all variables (K).
    void slopes(double* right) const;
    /// The steepest descent along a single variable that the box allows, over all variables; NaN after an overflow.
    double optimality() const;
    /// Moves one variable to its best value in the box: the objective is a polynomial between two knots (a parabola
    /// unless shapes share the variable), which is minimized on every such piece. Returns true if the variable moved.
    bool minimize(std::int64_t variable);
    /// Moves all variables at once. Returns the change of the objective, exact to its own rounding: no difference of
    /// two objectives is taken.
    double move(const double* x);
    /// Undoes the last `move`.
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
    std::vector<double> residual_projection_;  // the p in r_: terms_ may be newer; empty before the first `set`
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
    std::vector<double> activation_polynomials_;  // (degree + 1, users): activations minus phi
    std::vector<double> objective_polynomial_;    // change of the objective
};

}  // namespace rigwright::optimize
