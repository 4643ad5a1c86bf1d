#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/products/free_variables.h"
#include "rigcast/optimize/products/gram_point.h"
#include "rigcast/optimize/products/hessian.h"

namespace rigcast::optimize {

/// The second-order model of one frame's objective around a point,
///   q(d) = g^T d + 1/2 d^T H d,
/// over its free variables. Each of them may move on one piece of its range, between two neighboring knots, on which
/// the objective is smooth; g and H are one-sided derivatives on these pieces. Not thread-safe: use one per thread.
class QuadraticModel {
public:
    /// Which variables are free. Variables without room in the box never are.
    enum class Scope {
        free,        // smooth in the objective (see is_smooth), or at a bound or knot from which the objective descends
        with_bounds  // these, and all others at a bound; not those at a knot from which the objective rises
    };
    /// Finds the free variables at a point with their pieces and g. Returns the point's optimality (see
    /// GramPoint::optimality).
    double linearize(const GramPoint& point, Scope scope = Scope::free);
    /// Computes H at the point that was linearized last (see Hessian::assemble).
    void assemble_hessian(const GramPoint& point, bool curvature) { hessian_.assemble(point, free_, curvature); }

    /// Writes H(at, variable) for free variables `at` and returns H(variable, variable), without assembling H. The
    /// curvature of products other than of two plain variables is left out: chord steps, which use the column, are
    /// approximate anyway.
    double hessian_column(const GramPoint& point, std::int32_t variable, const std::vector<std::int32_t>& at,
                          double* result);

    /// Number of free variables, n.
    std::int64_t size() const { return free_.size(); }
    const FreeVariables& free_variables() const { return free_; }
    /// (n) the free variables, ascending.
    const std::vector<std::int32_t>& variables() const { return free_.variables; }
    /// A variable's index in variables(), or -1.
    std::int32_t position(std::int32_t variable) const { return free_.position[variable]; }
    /// (n) g.
    const std::vector<double>& gradient() const { return gradient_; }
    /// (n) values of the free variables.
    const std::vector<double>& x() const { return x_; }
    /// (n) ends of their pieces.
    const std::vector<double>& low() const { return low_; }
    const std::vector<double>& high() const { return high_; }
    const Hessian<double>& hessian() const { return hessian_; }

private:
    void clear(std::int64_t num_variables);
    void compute_image(const GramPoint& point, std::int32_t variable);

    FreeVariables free_;
    std::vector<double> gradient_;
    std::vector<double> x_;
    std::vector<double> low_;
    std::vector<double> high_;
    Hessian<double> hessian_;
    std::vector<double> right_slopes_;  // (K)
    // of hessian_column: 2 G J e for one variable, and the sum of rows that makes it
    LineVector<double> image_;
    std::vector<double> row_weights_;
    std::vector<const double*> rows_;
};

}  // namespace rigcast::optimize
