#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/gram_kernels.h"
#include "rigcast/optimize/products/product_model.h"

namespace rigcast::inverse {

/// Bounds of the second-order part of a rig's combinations, per coordinate of the mesh: constants of a rig for
/// MajorizeMinimize. Only coordinates that a combination moves are listed.
struct CorrectiveBounds {
    std::vector<std::int64_t> coordinate;  // 3 * vertex + axis, ascending
    std::vector<double> lowest;            // lambda_min(D^(i)) <= 0, of the products of two weights
    std::vector<double> highest;           // lambda_max(D^(i)) >= 0
    std::vector<double> other;             // lambda_max(A^(i)) >= 0, of all other products
};

/// Computes the bounds for columns (N, M, 3) and a box (K, 2) that encloses all weights.
///
/// Products of two weights. They give the symmetric matrix D^(i) with D_jk = b_i^{jk} / 2 (Rackovic et al. 2022,
/// section 4.2). Its trace is 0, hence the signs of its extreme eigenvalues.
///
/// Other products: of more drivers, or with tents. They have no constant D. For steps from w to w + v that cross no
/// knot, every driver is affine, phi(w + v) = phi(w) + s v, and telescoping the product twice gives exactly the part
/// beyond its linear one,
///   prod_f (phi_f + s_f v_f) - prod_f phi_f - sum_k s_k v_k prod_{f != k} phi_f
///     = sum_{k < l} s_k v_k s_l v_l (prod_{f < l, f != k} phi_f(w)) (prod_{f > l} phi_f(w + v)).
/// All values of drivers are those of weights in the box, so the coefficient of v_k v_l is at most
/// S_k S_l prod_{f != k, l} M_f, with the largest slope S and the largest absolute value M of a driver over the box.
/// Half of these coefficients times |b_i|, summed over columns, are the symmetric matrix A^(i), and that part is at
/// most |v|^T A |v| <= lambda_max(A) |v|^2.
CorrectiveBounds corrective_bounds(const optimize::ProductModel& products, View<const float, 3> columns,
                                   View<const double, 2> box, int threads);

/// An upper bound of a frame's objective F around weights w, separable over the weights (Rackovic et al. 2022, eq. 18):
///   F(w + v) <= psi(v) = value + sum_j q_j v_j + r_j v_j^2 + s v_j^4   for low <= v <= high,   psi(0) = F(w).
struct Surrogate {
    double value = 0.0;
    double s = 0.0;
    std::vector<double> q;  // (K), as those below
    std::vector<double> r;
    std::vector<double> low;   // <= 0
    std::vector<double> high;  // >= 0
};

/// The majorization-minimization of Rackovic et al. (2022), algorithms 1 and 2: from w, psi is minimized over each
/// weight by itself and in closed form, and all weights step at once. This is repeated until psi decreases no further.
///
/// Surrogate. With g_i the residual of coordinate i, h_i its gradient in w and omega_i the weight of its vertex,
///   q_j = 2 sum_i omega_i g_i h_ij + linear_j + 2 curvature_j w_j
///   r_j = 2 sum_i omega_i (g_i lambda_M,i + |g_i| a_i + |h_i|^2) + curvature_j
///   s   = 2 K sum_i omega_i sigma_i^2,   sigma_i = max(-lambda_min, lambda_max)(D^(i)) + a_i,
/// lambda_M = lambda_min(D^(i)) if g_i < 0, else lambda_max(D^(i)) (eq. 17), and h_i = B_i + 2 D^(i) w. The paper's
/// print lacks this 2; q has the factor 2 of algorithm 1, which eq. 19 lacks. For rigs whose combinations are products
/// of two weights, a = 0 and this is eq. 18 as published.
///
/// Extension to products of any order and to tents. Write g_i + h_i . v + c_i(v) for the residual at w + v.
/// CorrectiveBounds gives D and a with v^T D v - a |v|^2 <= c_i(v) <= v^T D v + a |v|^2 as long as v crosses no knot
/// of a tent. Hence
///   (g + h.v + c)^2 <= g^2 + 2 g h.v + 2 (g lambda_M + |g| a) |v|^2 + 2 |h|^2 |v|^2 + 2 (sigma_D + a)^2 |v|^4
/// by 2 x y <= x^2 + y^2, Cauchy-Schwarz and the spectra, and |v|^4 <= K sum v_j^4 separates it. Steps therefore end at
/// the next knot. At a knot a weight moves to the side on which the objective falls more steeply, so that the method
/// stops only if no single weight can lower the objective to either side.
///
/// Ties. Shapes with one common weight move to the same side, by the step that minimizes the sum of their quartics.
///
/// Cost. q and sum |h_i|^2 = trace(J^T G J) come from the Gram matrix G and the slopes J of the activations. Only
/// S(g) = sum omega_i (g_i lambda_M,i + |g_i| a_i) needs the residuals themselves. S is Lipschitz, |S(g) - S(g')| <=
/// (sum omega sigma^2)^(1/2) |g - g'|, and |g - g'| is known in Gram space: a value computed from the vertices is used
/// as a bound until it costs more than 1 % of sum |h_i|^2. Steps are at most 1 % shorter than the published ones.
///
/// Immutable; const calls may run from several threads at once.
class MajorizeMinimize {
public:
    /// T frames to solve. The objective of a frame is |f(w) - b|^2, weighted by vertex, plus linear . w + curvature .
    /// w^2, over lower <= w <= upper.
    struct Frames {
        View<const float, 3> offsets;       // (T, M, 3): targets b minus the neutral
        View<const double, 2> projections;  // (T, N): of the offsets on the columns, weighted
        View<const double, 1> energies;     // (T): |b|^2, weighted
        View<const double, 2> linear;       // (T, K), as those below
        View<const double, 2> curvature;    // >= 0
        View<const double, 2> lower;
        View<const double, 2> upper;
    };

    /// When a frame's iteration ends.
    struct Rule {
        double tolerance = 1e-9;  // converged if psi decreases by at most this times the frame's energy
        int max_iterations = 10000;
        bool lengthened = false;  // steps as FrameState::lengthened_step; the objective's decrease in place of psi's
    };

    /// `columns` (N, M, 3) of the rig on the chosen vertices, their Gram matrix `gram` (N, N), `vertex_weights` (M),
    /// and the `box` (K, 2) that encloses the bounds of all frames. `ties` (K): the shape whose weight each shape has,
    /// itself if it is not tied. Throws ArgumentError on other shapes or ties.
    MajorizeMinimize(optimize::ProductModel products, View<const float, 3> columns, View<const double, 2> gram,
                     View<const double, 1> vertex_weights, View<const double, 2> box, View<const std::int64_t, 1> ties,
                     int threads);

    std::int64_t num_shapes() const { return products_.num_variables(); }

    /// Improves `weights` (T, K), inside the bounds on entry. Writes the number of steps to `iterations` (T), and true
    /// to `converged` (T) if the rule's tolerance was reached. If a frame's objective overflows, or its start is NaN,
    /// it stops there and has not converged. Throws ArgumentError on other shapes.
    void solve(const Frames& frames, const Rule& rule, View<double, 2> weights, View<std::int64_t, 1> iterations,
               View<bool, 1> converged, int threads) const;

    /// The surrogate of one frame around `weights` (K), as the first step from there uses it. Throws ArgumentError on
    /// other shapes, or if there is no such frame.
    Surrogate surrogate(const Frames& frames, std::int64_t frame, View<const double, 1> weights) const;

private:
    class FrameState;

    void check(const Frames& frames) const;

    optimize::ProductModel products_;
    std::int64_t num_vertices_;
    std::vector<double> gram_;                       // (N, N)
    std::vector<std::vector<std::int32_t>> groups_;  // shapes with one common weight
    CorrectiveBounds bounds_;                        // of R coordinates
    std::vector<double> coordinate_weights_;         // (R): omega
    std::vector<float> coordinate_columns_;          // (N, R)
    double lipschitz_ = 0.0;                         // of S: (sum omega sigma^2)^(1/2)
};

/// One frame's iteration: the activations at its weights, and the surrogate around them. Not thread-safe.
class MajorizeMinimize::FrameState {
public:
    FrameState(const MajorizeMinimize& method, const Frames& frames, std::int64_t frame);

    /// The surrogate around weights w (eq. 18).
    const Surrogate& majorize(const double* w);
    /// Moves w to the minimizer of the surrogate around it (algorithm 1). Returns by how much the surrogate decreases.
    double step(double* w);
    /// Moves w as `step` does, or 50, 20, 10 or 5 times as far and back into the box: by the longest of these that ends
    /// lower than the step itself, as the code that the paper's authors released. Call it after `majorize`. Returns by
    /// how much the objective decreases.
    double lengthened_step(double* w);
    /// Returns true if a knot cut the last step short: the surrogate bounds nothing beyond it.
    bool stopped_at_knot() const { return stopped_at_knot_; }

private:
    double lower(std::int32_t k) const { return frames_.lower(frame_, k); }
    double upper(std::int32_t k) const { return frames_.upper(frame_, k); }
    const double* gram_row(std::int64_t n) const { return method_.gram_.data() + n * products_.num_columns(); }

    /// Computes the activations at w, their image and the objective.
    void activate(const double* w);
    /// The objective at w. The surrogate is that around w only after `majorize`.
    double objective(const double* w);
    double slope_of_objective(std::int32_t k, const double* w, int side) const;
    /// The side to which a group moves: that on which the objective falls more steeply; 1 if none of its weights is at
    /// a knot.
    int side_of(const std::vector<std::int32_t>& group, const double* w) const;
    /// Sets q and the range of steps of a group. Adds its part of sum |h_i|^2 to gradient_norm.
    void linearize(const std::vector<std::int32_t>& group, const double* w, double& gradient_norm);
    /// sum_i omega_i h_ik^2 = J_k^T G J_k
    double squared_gradient(std::int32_t k, const double* w, int side);
    /// A bound on S(g) = sum omega (g lambda_M + |g| a), at most allowed_excess * gradient_norm above it.
    double bound_on_corrections(double gradient_norm);
    /// S(g) from the residuals g of the coordinates that corrections move.
    double sum_corrections();

    const MajorizeMinimize& method_;
    const optimize::ProductModel& products_;
    const linalg::GramKernels& kernels_ = linalg::gram_kernels();
    const Frames& frames_;
    std::int64_t frame_;
    Surrogate surrogate_;
    double fidelity_ = 0.0;             // |f(w) - b|^2, weighted
    std::vector<double> activation_;    // (N): phi(w)
    std::vector<double> image_;         // (N): G phi(w)
    std::vector<double> slope_;         // (N): of activations along one weight
    std::vector<std::int32_t> sloped_;  // columns whose slope is not 0
    std::vector<double> low_end_;       // (K): weights at the ends of the steps' ranges
    std::vector<double> high_end_;      // (K)
    bool stopped_at_knot_ = false;
    std::vector<float> residual_;  // (R)
    std::vector<double> start_;    // (K): of a step that is lengthened
    std::vector<double> longer_;   // (K): its end
    // The last S(g) that was computed from the vertices, and the activations at which.
    double exact_corrections_ = 0.0;
    std::vector<double> exact_activation_;
    std::vector<double> exact_image_;
};

}  // namespace rigcast::inverse
