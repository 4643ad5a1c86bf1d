#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/capture/points.h"
#include "rigcast/optimize/box/box_least_squares.h"

namespace rigcast::capture {

/// A pose of the head: X = R y + t.
struct HeadPose {
    std::array<double, 9> rotation;  // row-major
    std::array<double, 3> translation;
};

/// The observed points of one frame: coordinates (P, D), certainties (P).
struct FramePoints {
    const double* points;
    const double* certainty;
    int dimensions;
    /// (P, 3) numbers (a, b, c) or null, for D = 2: the loss is that of (a dx + b dy, c dy), whose covariance is that
    /// of equal noise along both axes.
    const double* whitening = nullptr;
};

/// The residuals of one frame. Unknowns are K weights, a rotation vector omega (the rotation is exp(omega) R_0) and the
/// translation. Rows: D for each observed point, then K for the quadratic terms, whose squares the linear term of the
/// sparsity completes: |r|^2 is the energy plus constant().
class FrameResiduals final : public optimize::Residuals {
public:
    FrameResiduals(const PointModel& model, const Camera& camera, const PointTerms& terms);

    /// Sets the frame; `points` and `frame` must outlive its use.
    void start(const FramePoints& points, const FrameTerms& frame, const HeadPose& pose, double sparsity);
    std::int64_t num_observed() const { return static_cast<std::int64_t>(observed_.size()); }
    std::int64_t num_unknowns() const { return model_.num_shapes() + 6; }
    double constant() const { return constant_; }
    /// The pose of unknowns.
    HeadPose pose(const double* x) const;
    /// Writes the distance (P) of each point from its observation; NaN if it has none. For the last evaluated point.
    void distances(double* result) const;
    /// (D rows of each observed point, K + 6) derivatives of the projected points without the loss and certainty, at
    /// the point of the last `linearize`.
    const std::vector<double>& projected() const { return projected_; }
    const std::vector<std::int32_t>& observed() const { return observed_; }
    /// A translation at which the points at `weights`, turned by `rotation`, have the mean and the size of the
    /// observed ones.
    std::array<double, 3> placed(const double* weights, const std::array<double, 9>& rotation);

    std::int64_t num_rows() const override;
    void evaluate(const double* x, double* residuals) override;
    void linearize(const double* x, std::vector<double>* jacobian) override;

private:
    void project(const double* X, double* point) const;
    void project_rows(const double* X, double (*rows)[3]) const;
    bool is_before(const double* X) const { return points_.dimensions == 3 || X[2] > nearest_; }
    double scale_of(std::int32_t i) const;
    void whiten(std::int32_t i, double* pair, std::int64_t stride) const;

    const PointModel& model_;
    Camera camera_;
    PointTerms terms_;
    FramePoints points_{};
    const FrameTerms* frame_ = nullptr;
    HeadPose base_{};
    double nearest_;
    double constant_ = 0.0;
    std::vector<std::int32_t> observed_;
    std::vector<double> shift_;      // (K): what the linear term moves each target by
    std::vector<double> positions_;  // (P, 3) of the rig
    std::vector<double> placed_;     // (P, 3) before the camera
    std::vector<double> misses_;     // (P, D)
    std::vector<double> whitened_;   // (D, K + 6) of one point
    std::vector<double> derivatives_;
    std::vector<double> projected_;
};

/// exp of a rotation vector, row-major (Rodrigues).
std::array<double, 9> rotation_of(const double* omega);
std::array<double, 9> product(const std::array<double, 9>& a, const std::array<double, 9>& b);

}  // namespace rigcast::capture
