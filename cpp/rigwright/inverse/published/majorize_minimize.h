#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/inverse/published/corrective_bounds.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::inverse {

/// T frames to solve. A frame's objective is |f(w) - b|^2, weighted by vertex, plus linear . w + curvature . w^2, over
/// lower <= w <= upper.
struct Frames {
    View<const float, 3> offsets;                           // (T, M, 3) targets b minus the neutral
    View<const double, 2> projections;                      // (T, N)
    View<const double, 1> energies;                         // (T) |b|^2, weighted
    View<const double, 2> linear, curvature, lower, upper;  // (T, K), curvature >= 0
};

/// When a frame ends.
struct MinimizationRule {
    double tolerance = 1e-9;  // of the frame's energy: the bound's decrease that counts as none
    int max_iterations = 10000;
};

/// A bound on a frame's objective around weights w, separable over the weights (Rackovic et al. 2022, eq. 18):
///   F(w + v) <= psi(v) = value + sum_j q_j v_j + r_j v_j^2 + s v_j^4   for low <= v <= high,   psi(0) = F(w).
struct Surrogate {
    double value = 0.0, s = 0.0;
    std::vector<double> q, r, low, high;
};

/// The majorization-minimization of Rackovic et al. (2022), algorithms 1 and 2: from w the bound psi is minimized over
/// each weight by itself and in closed form, all weights move at once, and so on until psi decreases no further.
///
/// With g_i the residual of coordinate i, h_i its gradient in w and omega_i the weight of its vertex,
///   q_j = 2 sum_i omega_i g_i h_ij + linear_j + 2 curvature_j w_j
///   r_j = 2 sum_i omega_i (g_i lambda_M,i + |g_i| a_i + |h_i|^2) + curvature_j
///   s   = 2 K sum_i omega_i sigma_i^2,   sigma_i = max(-lambda_min, lambda_max)(D^(i)) + a_i,
/// lambda_M = lambda_min(D^(i)) where g_i < 0, else lambda_max(D^(i)) (eq. 17); h_i = B_i + 2 D^(i) w, where the
/// paper's print lacks the 2, and algorithm 1's factor 2 rather than eq. 19's. For rigs whose combinations are products
/// of two weights a = 0 and this is eq. 18 as published.
///
/// Any order, and tents. Write g_i + h_i . v + c_i(v) for the residual at w + v. CorrectiveBounds gives D and a with
/// v^T D v - a |v|^2 <= c_i(v) <= v^T D v + a |v|^2 as long as v crosses no knot of a tent. Hence
///   (g + h.v + c)^2 <= g^2 + 2 g h.v + 2 (g lambda_M + |g| a) |v|^2 + 2 |h|^2 |v|^2 + 2 (sigma_D + a)^2 |v|^4
/// by 2 x y <= x^2 + y^2, Cauchy-Schwarz and the spectra, and |v|^4 <= K sum v_j^4 separates it. Steps therefore end at
/// the next knot. At a knot the weight takes the side on which the objective falls more steeply, so that the method
/// only comes to rest where no single weight can go either way downhill.
///
/// Shapes with one common weight (`ties`) share the side and the step that minimizes the sum of their quartics.
///
/// Speed. q and sum |h_i|^2 = trace(J^T G J) come from the Gram matrix G, J the slopes of the activations. Only
/// S(g) = sum omega_i (g_i lambda_M,i + |g_i| a_i) needs the residuals themselves. It is Lipschitz, |S(g) - S(g')| <=
/// (sum omega sigma^2)^(1/2) |g - g'|, and |g - g'| is known in Gram space; so a value computed from the vertices
/// serves as a bound until this costs more than 1% of sum |h_i|^2. The steps are at most 1% shorter than the published
/// ones.
///
/// Immutable, const calls may run from several threads at once.
class MajorizeMinimize {
public:
    /// The rig's columns (N, M, 3) on the chosen vertices, their Gram matrix (N, N), vertex weights (M), the box
    /// (K, 2) that all frames' bounds lie in. `ties` (K): the shape whose weight each shape has, itself or another.
    /// Throws ArgumentError where shapes do not fit.
    MajorizeMinimize(optimize::ProductModel products, View<const float, 3> columns, View<const double, 2> gram,
                     View<const double, 1> vertex_weights, View<const double, 2> box, View<const std::int64_t, 1> ties,
                     int threads);

    /// Moves weights (T, K), feasible on entry, and writes the number of steps (T) and whether the rule was met (T). A
    /// frame whose objective overflows, or whose start is NaN, stays where that happens and does not converge.
    void solve(const Frames& frames, const MinimizationRule& rule, View<double, 2> weights,
               View<std::int64_t, 1> iterations, View<bool, 1> converged, int threads) const;

    /// The bound around a frame's weights (K), as the first step from there uses it.
    Surrogate surrogate(const Frames& frames, std::int64_t frame, View<const double, 1> weights) const;

private:
    class FrameState;

    optimize::ProductModel products_;
    std::vector<double> gram_;
    std::vector<std::vector<std::int32_t>> groups_;  // shapes with one common weight
    CorrectiveBounds bounds_;
    std::vector<double> bent_weight_;  // omega of the bounds' coordinates
    std::vector<float> bent_columns_;  // (N, R): the columns at the bounds' coordinates
    double spread_ = 0.0;              // (sum omega sigma^2)^(1/2)
};

}  // namespace rigwright::inverse
