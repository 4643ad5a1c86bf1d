#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/capture/pictures/flow_gates.h"
#include "rigcast/capture/pictures/visibility.h"

namespace rigcast::capture {

/// How pictures weigh in a frame, and how it is solved; see PictureSolver.
struct PictureTerms {
    double photometric = 1.0;   // weight of the mean over samples and colors
    double corner = 0.13;       // of the mean brightness: where Huber's loss becomes linear
    double light_ridge = 1e-3;  // pull of a frame's light toward the calibrated one
    double fine = 1.2;          // standard deviations of the two blurs, in pixels
    double coarse = 3.0;
    double gamma = 2.2;       // of the pictures' 8 bits
    double sparsity = 0.01;   // L1
    double tolerance = 1e-4;  // a level ends when a step lowers E by a smaller share
    std::int64_t coarse_steps = 4;
    std::int64_t fine_steps = 6;
    std::int64_t draw_every = 4;  // frames: how often the z-buffer is drawn
    std::int64_t cells = 96;      // of the z-buffer along the longer side
    std::int64_t followed = 250;  // samples whose flow is measured
    bool fit_light = true;
    bool debias = true;
};

/// Unknowns of a frame.
struct PictureState {
    std::vector<double> weights;  // (K)
    HeadPose head{};              // X = R y + t, in the camera's frame
    Light light;
};

/// How a frame was solved.
struct PictureFit {
    PictureState state;
    double start_energy = 0.0;  // on the fine level, where it begins
    double energy = 0.0;        // there, where it ends, before the bias of the sparsity is taken out
    double coarse_start = 0.0;  // on the coarse level, at the better one of both starts
    std::vector<double> trace;  // energies on the fine level after each fit of the light and each step
    std::int32_t steps = 0;
    bool lost = false;  // too few samples are seen: the state is the given one
};

/// Refines weights and head poses by pictures, one frame after another.
///
/// Minimizes, over weights in their box, the head and nine light coefficients per color,
///   E = E_color + E_points + sum_k s_k (w_k - c_k)^2 + sparsity sum_k w_k
///       + photometric light_ridge / 4 sum ((gamma - gamma_0) / unit)^2
/// with E_color of color_energy.h, on two blurred pictures one after another, and E_points of points.h without its
/// terms of weights; unit = corner times the mean brightness. s_k, c_k gather smoothing, priors and rest.
/// The effective albedo of a sample is its color in the neutral frames over the light gamma_0 that is fitted to them
/// with the albedo 1/2: neither albedo nor occlusion has to be known. Samples that the neutral hides are not used.
/// Method: Gauss-Newton steps, each a box-constrained quadratic (optimize::BoxQuadratic), with backtracking; the light
/// in closed form, before the steps of a level and in their middle. As in solve_points, `debias` finds the head without
/// the linear term, over the weights above their lowest, and the weights again under that head.
/// Guarantee: E never rises on a level. Cost: see benchmarks/systems/capture/refinement.py.
/// Call order of a frame: open, gates, solve or recall, close. Not thread-safe.
class PictureSolver {
public:
    /// All but the terms must outlive the solver. Throws ArgumentError if a number is out of range.
    PictureSolver(const rig::BlendshapeRig& rig, const SurfaceSamples& samples, const PointModel& points,
                  const Occluder& occluder, const Camera& camera, const PointTerms& point_terms,
                  const PictureTerms& terms);

    /// Adds a picture (H, W, 3) of the neutral to the effective albedo, as the head lies there. Throws ArgumentError if
    /// it has another size than the first, or no sample is seen.
    void calibrate(View<const std::uint8_t, 3> picture, const double* weights, const HeadPose& head);
    /// Makes a picture ready, given about where the face is.
    void open(View<const std::uint8_t, 3> picture, const double* weights, const HeadPose& head);
    /// Writes K gates of the opened picture against the frame closed last; see FlowGates.
    void gates(double sigma, double* result) { flow_.measure(fine_, coarse_, sigma, result); }
    /// Solves the opened picture from the better one of a start and the last frame's end.
    PictureFit solve(const FramePoints& points, const FrameTerms& terms, const double* weights, const HeadPose& head);
    /// Stands for a solve of the opened picture from a start that is known to have ended in a state: the next frame is
    /// solved as after that solve, bit by bit.
    PictureFit recall(const double* weights, const HeadPose& head, const PictureState& end);
    /// Ends a frame: its flow is measured by the next one.
    void close(const PictureFit& fit);

    /// E on the fine level of the last solved frame, with the samples it used; writes its gradient (K + 6) if that is
    /// not null, at a rotation vector of 0.
    double energy(const PictureState& state, double* gradient);
    /// Writes J^T J of the last evaluated point: what a step costs.
    void linearize(const PictureState& state);

    const SampleColors& colors() const { return fine_colors_; }
    const Light& calibrated_light() const { return neutral_light_; }
    double unit() const { return unit_; }
    const FlowGates& flow() const { return flow_; }

private:
    void finish_calibration();
    PixelBox box(const double* weights, const HeadPose& head, std::int64_t height, std::int64_t width);
    bool find_used(const double* weights, const HeadPose& head);
    void start_points(const HeadPose& head);
    double evaluate(const PictureState& state);
    bool step(PictureState* state, double* energy, const FrameTerms& bounds, bool is_head_fixed);
    bool move(const PictureState& from, const std::vector<double>& step, double length, PictureState* to) const;
    void fit_light(PictureState* state, double* energy);
    void run_level(bool is_fine, std::int64_t steps, PictureFit* fit);
    void choose_start(PictureFit* fit);
    void debias(PictureFit* fit);
    void check(const char* function, View<const std::uint8_t, 3> picture) const;

    const SurfaceSamples& samples_;
    PictureTerms terms_;
    Camera camera_;
    FrameResiduals points_;
    ColorEnergy color_;
    Visibility visibility_;
    FlowGates flow_;
    optimize::BoxQuadratic quadratic_;
    std::array<float, 256> curve_;
    LinearImage picture_, fine_, coarse_;
    std::int64_t height_ = 0, width_ = 0;
    // calibration
    std::vector<std::array<double, 3>> fine_sum_, coarse_sum_;
    std::vector<std::array<double, num_harmonics>> basis_sum_;
    std::vector<double> times_seen_;
    bool is_calibrated_ = false;
    Light neutral_light_;
    double unit_ = 1.0;
    SampleColors fine_colors_, coarse_colors_;
    // the frame
    std::vector<std::uint8_t> seen_;
    std::int64_t frames_ = 0;
    FramePoints frame_points_{};
    const FrameTerms* frame_terms_ = nullptr;
    double sparsity_ = 0.0;
    PictureState last_;
    bool has_last_ = false;
    double damping_ = 0.0;
    double tolerance_ = 0.0;  // of the level
    LitSamples lit_;
    std::vector<double> x_, residuals_, jacobian_, gradient_, hessian_, low_, high_;
    LineVector<double> workspace_;
};

}  // namespace rigcast::capture
