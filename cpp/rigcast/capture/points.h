#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/capture/point_model.h"
#include "rigcast/core/view.h"

namespace rigcast::capture {

/// How positions X of the camera's frame (x right, y down, z forward, the rig's unit) become observed points:
///   D = 2: center + focal X_xy / X_z, in pixels;   D = 3: focal X, where `focal` is a scale.
struct Camera {
    double focal = 1.0;
    double center_x = 0.0;
    double center_y = 0.0;
};

/// A shot of T frames of P points. NaN, or a certainty of 0: the point was not observed.
struct PointShot {
    View<const double, 3> points;          // (T, P, D), D = 2 or 3
    View<const double, 2> certainty;       // (T, P), in [0, 1]
    View<const double, 2> fixed;           // (T, K) pinned weights, NaN where free
    View<const double, 2> prior_target;    // (T, K)
    View<const double, 2> prior_strength;  // (T, K), at least 0
};

/// Terms of a frame's energy; see solve_points.
struct PointTerms {
    double noise = 1.0;       // sigma: standard deviation of a coordinate of a point
    double outlier = 4.0;     // Huber's loss is linear beyond this many sigma
    double smoothing = 0.2;   // of a weight that does not move
    double gate = 3.0;        // motion, in standard deviations of its noise, that takes smoothing away; 0: never
    double sparsity = 0.05;   // L1
    double rest = 1e-3;       // pull on weights toward 0, which shapes without points follow
    double tolerance = 1e-8;  // steps end when the energy is predicted to fall by less
    std::int64_t max_iterations = 30;
    bool debias = true;
};

/// What one frame's energy is made of, beside its points.
struct FrameTerms {
    std::vector<double> target;    // (K) c_k
    std::vector<double> strength;  // (K) s_k, positive
    std::vector<double> low;       // (K)
    std::vector<double> high;      // (K)
};

struct PointWeights {
    std::vector<double> weights;        // (T, K), inside the box
    std::vector<double> pose;           // (T, 3, 4): X = R y + t, in the camera's frame
    std::vector<double> residual;       // (T, P): distance of a point from its observation, NaN if there is none
    std::vector<double> start_energy;   // (T): of the energy that is minimized first, where it begins
    std::vector<double> energy;         // (T): the same where it ends
    std::vector<std::int32_t> steps;    // (T)
    std::vector<std::uint8_t> lost;     // (T): too few points: the weights and the pose are those of the frame before
    std::vector<std::uint8_t> settled;  // (T): converged
};

/// Finds blendshape weights and the pose of the head in every frame of a shot.
///
/// Minimizes, one frame after another and warm-started, over weights in their box, the rotation and the translation of
/// the head (Bailey 2020, section 6.4, E_land, E_smooth and the L1 term):
///   E = 1/P sum_i certainty_i huber(|pi(R y_i(w) + t) - q_i| / sigma)^2 + sum_k s_k (w_k - c_k)^2 + sparsity sum_k
///   w_k,
/// where s_k, c_k gather the priors, `rest` and the smoothing term smoothing g_k (w_k - w_k^{t-1})^2. The gate g_k is
/// exp(-(z_k / gate)^2) with z_k the motion of the points along shape k since the last frame, head motion removed, in
/// standard deviations of its noise: shapes that the points do not show are smoothed in full. It takes the place of the
/// optical flow of eq. 6.9.
/// Sparsity acts on shapes whose lowest weight is 0 or more. It also moves the head (a jaw that it closes is made up
/// for by a lower head). So, with `debias`, a round without it, over the weights that are above their lowest, finds the
/// head, and a last round with it the weights under that head.
/// Method: Gauss-Newton steps with damping in a box, optimize::BoxLeastSquares; the linear term completes the squares
/// of s_k. Guarantee: the energy of a round never rises. A frame that fits badly from where the last one was is solved
/// again from `rotation`, and the better end is taken.
///
/// `rotation` (3, 3) turns the rig upright before the camera. Throws ArgumentError if shapes do not fit, or a number is
/// out of range.
PointWeights solve_points(const PointModel& model, const PointShot& shot, const Camera& camera, const PointTerms& terms,
                          View<const double, 2> rotation);

}  // namespace rigcast::capture
