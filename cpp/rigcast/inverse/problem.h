#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/rig_gram.h"
#include "rigcast/optimize/products/measure_frames.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::inverse {

/// A shot to invert: T frames of a rig with V vertices and K shapes. An empty view stands for the default.
struct ShotTargets {
    /// (T, V, 3), or (T, M, 3) in the order of RigGram::vertices. Vertices of positive weight are finite.
    View<const float, 3> targets;
    /// Sparsity, >= 0, in squared units of length. Must be given.
    double alpha = std::numeric_limits<double>::quiet_NaN();
    /// Temporal term, >= 0, in squared units of length.
    double smoothness = 0.0;
    /// (K, 2): lower and upper bounds of the weights, at most 1e12 in size. Default: the rig's.
    View<const double, 2> bounds = {};
    /// (T, K): pinned weights, NaN for free ones. Default: all free.
    View<const double, 2> fixed = {};
    /// (T, K): c of the priors. Default: no priors.
    View<const double, 2> prior_target = {};
    /// (T, K): s of the priors, >= 0; given together with c.
    View<const double, 2> prior_strength = {};
    /// Disjoint pairs of shapes whose weights are equal.
    std::vector<std::array<std::int32_t, 2>> symmetric = {};
    /// (T, K): where the search starts, inside the box. Default: the point of the box nearest to 0.
    View<const double, 2> init = {};
};

/// Per-frame measures of a shot's weights.
struct WeightQuality {
    std::vector<double> objective;   // (T): Problem's, without the temporal term
    std::vector<double> optimality;  // (T): largest entry of the projected gradient, temporal term included
    std::vector<double> rmse;        // (T): weighted root mean square distance of the vertices
    std::vector<double> gap;         // (T): duality gap; empty for rigs with combinations and with a temporal term
};

/// The problem of a shot's weights w, T frames of K shapes: minimize, inside a box, the sum over frames t of
///   |Phi phi(w_t) - b_t|^2_Omega + alpha sum_k w_tk + sum_k s_tk (w_tk - c_tk)^2
/// plus smoothness |w_{t-1} - 2 w_t + w_{t+1}|^2 over the inner frames. phi are the activations of the rig's N columns
/// Phi, b_t the targets minus the neutral. Tied shapes share one variable, which is that of the first of them.
///
/// The box is the intersection of bounds, pins and the boxes of tied shapes. Idle shapes (RigGram::idle) are pinned at
/// the value of their bounds nearest to 0, unless pins or priors ask for another one.
/// A problem is immutable and shares its arrays with the problems that are made from it: copies are cheap. It holds
/// neither the targets nor the Gram matrix; functions that need the matrix take the one that it was made with.
class Problem {
public:
    /// Checks a shot and projects its targets.
    /// Throws ArgumentError, as of the function "solve", on wrong shapes; on numbers that are not finite, too large or
    /// out of range; on pins or a start outside the bounds; and on ties that are not disjoint or share no value.
    Problem(const RigGram& gram, const ShotTargets& shot, int threads = 0);
    /// The same for targets that were projected elsewhere, on a device.
    Problem(const RigGram& gram, const ShotTargets& shot, ProjectedTargets projected);

    std::int64_t num_frames() const { return num_frames_; }
    std::int64_t num_shapes() const { return num_shapes_; }
    std::int64_t num_columns() const { return num_columns_; }
    double alpha() const { return alpha_; }
    double smoothness() const { return smoothness_; }
    View<const double, 2> projections() const;                          // (T, N): Phi^T Omega b
    View<const double, 1> energies() const;                             // (T): b^T Omega b
    View<const double, 2> lower() const { return by_shape(lower_); }    // (T, K), like those below
    View<const double, 2> upper() const { return by_shape(upper_); }    // equal to `lower` for pinned weights
    View<const double, 2> init() const { return by_shape(init_); }      // empty if it was not given
    View<const double, 2> linear() const { return by_shape(linear_); }  // alpha - 2 s c, of the shapes
    View<const double, 2> prior_target() const { return by_shape(prior_target_); }
    View<const double, 2> prior_strength() const { return by_shape(prior_strength_); }
    /// (K): the shape whose variable shape k has, k itself if it is not tied.
    View<const std::int32_t, 1> ties() const { return {ties_->data(), {num_shapes_}}; }
    /// Throws ArgumentError if a Gram matrix is that of a rig with other columns.
    void check_gram(const RigGram& gram) const;
    /// How the columns depend on the variables.
    const optimize::ProductModel& products() const { return *products_; }
    /// The terms of the variables; `bending` is empty. The variable of tied shapes has the terms of both.
    optimize::Shot shot() const;
    /// (T, K): the given start, or the point of the box nearest to 0.
    std::vector<double> start() const;

    /// The largest alpha or smoothness whose terms do not overflow in the box.
    double largest_strength() const;
    /// (T): the scale of each frame's gradient, which a tolerance is relative to,
    ///   2 max_n |(Phi^T Omega b_t)_n| + alpha + 2 max_k s_tk |c_tk|:
    /// no entry of the gradient at zero weights is larger. At least least_pull().
    std::vector<double> scale() const;
    /// 1e-6 of the Gram matrix's largest entry: a smaller pull is that of a target at rest.
    double least_pull() const { return least_pull_; }
    /// The smallest alpha at which every weight of the shot rests: the largest pull of a target on a weight at rest,
    /// whatever the temporal term. 0 if nothing pulls.
    double resting_alpha(const RigGram& gram, int threads = 0) const;
    /// (T): alpha and the priors' terms of weights (T, K), the objective of `measure` without its vertices' term.
    std::vector<double> weight_terms(View<const double, 2> weights) const;
    /// Measures weights (T, K) inside the box that are equal for tied shapes. If `causal`, the optimality of a frame is
    /// that of its own objective given the two frames before it. At the knot of an in-between it is that of the steeper
    /// one-sided slope. Throws NumericalError if something overflows.
    WeightQuality measure(const RigGram& gram, View<const double, 2> weights, bool causal = false,
                          int threads = 0) const;
    /// The same, from the measures of the vertices' term alone: optimize::measure_frames of vertices_alone().
    WeightQuality measure(const RigGram& gram, View<const double, 2> weights, const optimize::FrameMeasures& vertices,
                          bool causal = false) const;
    /// shot() without alpha and priors, to whose terms the digits of the vertices' term would be lost.
    optimize::Shot vertices_alone() const;

    /// The same problem for some frames, in this order.
    Problem at(std::span<const std::int64_t> frames) const;
    /// The same problem with other terms. Throws ArgumentError as the constructor does.
    Problem with_alpha(double alpha) const;
    Problem with_smoothness(double smoothness) const;
    Problem without_priors() const;
    /// The same problem with another start (T, K), or with the default one if it is empty.
    Problem starting_at(View<const double, 2> init) const;
    /// The same problem with shapes (K) that are 1 pinned at the point of their box nearest to 0, unless they are tied
    /// to one that is 0.
    Problem resting(std::span<const char> shapes) const;
    /// The same box and terms for other targets, which may be those of another Gram matrix with the same columns.
    Problem with_targets(const RigGram& gram, View<const float, 3> targets, int threads = 0) const;
    Problem with_targets(const RigGram& gram, View<const float, 3> targets, ProjectedTargets projected) const;

private:
    using Numbers = std::shared_ptr<const std::vector<double>>;

    View<const double, 2> by_shape(const Numbers& numbers) const {
        return numbers == nullptr ? View<const double, 2>()
                                  : View<const double, 2>(numbers->data(), {num_frames_, num_shapes_});
    }
    void check_terms() const;
    void make_linear();
    void take_targets(const RigGram& gram, View<const float, 3> targets, ProjectedTargets projected);

    std::int64_t num_frames_;
    std::int64_t num_shapes_;
    std::int64_t num_columns_;
    double alpha_;
    double smoothness_;
    double least_pull_ = 0.0;
    Numbers projections_;  // (T, N)
    Numbers energies_;     // (T)
    Numbers lower_;        // (T, K), like those below
    Numbers upper_;
    Numbers init_;  // null if it was not given
    Numbers prior_target_;
    Numbers prior_strength_;
    Numbers linear_;
    Numbers variable_linear_;
    Numbers variable_quadratic_;
    Numbers zero_;
    std::shared_ptr<const std::vector<std::int32_t>> ties_;
    std::shared_ptr<const optimize::ProductModel> products_;
};

}  // namespace rigcast::inverse
