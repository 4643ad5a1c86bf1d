#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"

namespace rigcast::baseline {

/// The vertices v (S, 3) whose triangles' deformation gradients are nearest to given ones D_f, with soft anchors:
///   minimizes sum_f area_f |(grad v - D_f) P_f|^2 + sum_a |v_a - c_a|^2,
/// P_f the projection on the plane of the rest triangle, grad of linear functions on it. The normal equations are a
/// Laplacian with cotangent weights, factorized once. Triangles without area do not count.
class GradientSolve {
public:
    /// `triangles` (F, 3) and `anchors` (A) are checked indices of the rest vertices (S, 3). Throws ArgumentError,
    /// which names `function` and `argument`, if a connected part of the mesh has no anchor.
    GradientSolve(View<const float, 2> rest, View<const std::int32_t, 2> triangles, View<const std::int32_t, 1> anchors,
                  const char* function, const char* argument);

    std::int64_t num_vertices() const { return solver_->size(); }
    /// The gradient of the hat function of corner c of triangle f, times the area (3).
    const double* weights(std::int64_t f, int c) const { return weight_.data() + 9 * f + 3 * c; }
    /// Adds D (3, 3) of triangle f to the right-hand sides of x, y, z at its corners; rows are `stride` numbers apart.
    void add(std::int64_t f, const double* gradient, double* rhs, std::int64_t stride) const;
    /// Overwrites right-hand sides (S, m) with the solutions.
    void solve(View<double, 2> rhs, int threads) const;

private:
    View<const std::int32_t, 2> triangles_;
    std::vector<double> weight_;  // (F, 3, 3)
    std::unique_ptr<const linalg::SparseCholesky> solver_;
};

}  // namespace rigcast::baseline
