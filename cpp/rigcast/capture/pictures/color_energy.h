#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/capture/frame_residuals.h"
#include "rigcast/capture/pictures/light.h"
#include "rigcast/capture/pictures/linear_image.h"
#include "rigcast/capture/pictures/normal_equations.h"
#include "rigcast/capture/pictures/surface_samples.h"

namespace rigcast::capture {

/// What a surface sample is compared with.
struct SampleColors {
    std::vector<std::array<double, 3>> albedo;  // (S) effective albedo
    std::vector<std::int32_t> used;             // samples that are visible and whose albedo is known
};

/// Scales of the color term.
struct ColorTerm {
    double weight = 1.0;  // of the mean over all used samples and colors
    double unit = 0.05;   // linear light: where Huber's loss becomes linear
};

/// The color term of one picture as a function of weights, head and light,
///   E = weight / (3 sum_i q_i) sum_i q_i sum_c huber((I_c(pi(R y_i + t)) - a_ic sum_b gamma_cb Y_b(R n_i)) / unit),
/// over the used samples i with importance q_i, place y_i(w) and unit normal n_i(w) of their triangle, in the rig's
/// axes (Bailey 2020, E_photo of section 6.4, with the albedo and the ambient occlusion in one number per color). Not
/// thread-safe: one per thread.
class ColorEnergy {
public:
    ColorEnergy(const SurfaceSamples& samples, const Camera& camera);

    /// All must outlive the use of the picture.
    void start(const LinearImage& image, const SampleColors& colors, const ColorTerm& term);
    /// Returns E; infinity if a sample is not before the camera.
    double evaluate(const double* weights, const HeadPose& head, const Light& light);
    /// Adds, at the last evaluated point, the gradient (K + 6) and the Gauss-Newton matrix (K + 6, K + 6) with rows
    /// `stride` apart. The last six unknowns are a rotation vector to the left of R, and t.
    void add_derivatives(const double* weights, double* gradient, double* hessian, std::int64_t stride);
    /// What the light is fitted to at the last evaluated point, and the sum over samples that E divides by.
    void lit_samples(LitSamples* result) const;
    double total() const { return total_; }
    /// Of sample `used[i]` at the last evaluated point: its image position, its place from the head's origin in the
    /// camera's axes, and its unit normal there.
    const std::array<double, 2>& position(std::size_t i) const { return points_[i].at; }
    const linalg::Vec3& arm(std::size_t i) const { return points_[i].arm; }
    const linalg::Vec3& normal(std::size_t i) const { return points_[i].normal; }
    double depth(std::size_t i) const { return points_[i].place[2]; }

private:
    struct Point {
        linalg::Vec3 arm, place, normal;  // in the camera's axes
        linalg::Vec3 sides[2];            // of the triangle, in the camera's axes
        double area;                      // twice
        std::array<double, 2> at;
        Texel texel;
        std::array<double, num_harmonics> basis;
        double miss[3];  // in units
    };

    bool place(std::int32_t sample, const HeadPose& head, Point* point) const;
    void fill(std::size_t i, ColorRows* rows) const;

    const SurfaceSamples& samples_;
    Camera camera_;
    double nearest_;
    const LinearImage* image_ = nullptr;
    const SampleColors* colors_ = nullptr;
    ColorTerm term_;
    double total_ = 1.0;
    HeadPose head_{};
    Light light_;
    std::vector<double> corners_;  // (S, 9)
    std::vector<Point> points_;    // of the used samples
    LineVector<float> memory_;
    LineVector<float> rows_;
    LineVector<double> sums_;
};

}  // namespace rigcast::capture
