#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/linalg/gram_kernels.h"
#include "rigwright/linalg/gram_matrix.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::optimize {

/// One frame's part of the objective in Gram space, over K variables x and N columns phi(x):
///   phi^T G phi - 2 p^T phi + linear^T x + sum_k quadratic_k x_k^2   on   lower <= x <= upper.
struct Terms {
    const double* projection;  // p (N)
    const double* linear;      // (K)
    const double* quadratic;   // (K), >= 0
    const double* lower;       // (K)
    const double* upper;       // (K)
};

/// A point x of one frame, with everything that its steps need kept up to date: activations phi, half the gradient in
/// them r = G phi - p. Exact in each single variable: between two knots the objective is a polynomial there (a
/// parabola unless shapes share the variable), and `minimize` takes the best of all pieces. Not thread-safe: one a
/// thread.
class GramPoint {
public:
    GramPoint(const ProductModel& products, const linalg::GramMatrix& gram);

    const ProductModel& products() const { return products_; }
    const linalg::GramMatrix& gram() const { return gram_; }
    const Terms& terms() const { return terms_; }
    /// Takes another frame's terms; `set` must follow where the projection is another one.
    void load(const Terms& terms) { terms_ = terms; }
    /// Moves to a point inside the box; computes phi and r from scratch unless it is the point where the frame is.
    void set(const double* x);
    /// Computes phi and r from scratch: many small moves leave their rounding in r.
    void refresh();
    const double* x() const { return x_.data(); }
    const double* residual() const { return r_.data(); }

    /// phi^T G phi - 2 p^T phi + linear^T x + quadratic x^2.
    double objective() const;
    /// Slope of the objective along a variable, to one side of it.
    double slope(std::int64_t variable, int side) const;
    /// `slope` to the right of every variable: (K).
    void slopes(double* right) const;
    /// The steepest descent along a single variable that the box allows, over all variables; NaN after an overflow.
    double optimality() const;
    /// Moves one variable to its best value in the box; whether it moved. `local` stays on the pieces next to it.
    bool minimize(std::int64_t variable, bool local);
    /// Moves every variable at once; the change of the objective, exact to rounding. `undo` takes it back.
    double move(const double* x);
    void undo();

private:
    void assign(std::int64_t variable, double value);
    /// Brings phi and r to x_.
    void update();
    /// Brings phi_[n] to x_; notes it as change number `count`. The number of changes then.
    std::int64_t update_column(std::int32_t n, std::int64_t count);
    /// Brings r to the changes of phi.
    void add_changes(std::int64_t count);
    /// Fills along_: the activations of a variable's users, minus phi, as polynomials in its step h on a piece.
    void expand(std::int64_t variable, double low, double high);
    /// Fills polynomial_: the change of the objective as a polynomial in h on that piece.
    void restrict_to_line(std::int64_t variable);

    const ProductModel& products_;
    const linalg::GramMatrix& gram_;
    const linalg::GramKernels& kernels_;
    Terms terms_{};
    std::vector<double> projected_;                  // the projection in r_; empty before the first `set`
    std::vector<double> x_, phi_, old_x_, old_phi_;  // the point, and the one before the last `move`
    LineVector<double> r_, old_r_;                   // as wide as the Gram matrix
    std::vector<double> along_;                      // (degree + 1, users): activations minus phi as polynomials
    std::vector<double> polynomial_;
    std::int64_t num_changes_ = 0;
    std::vector<double> changes_;        // of phi in the last update
    std::vector<std::int32_t> columns_;  // where
    std::vector<const double*> rows_;    // of the Gram matrix
};

}  // namespace rigwright::optimize
