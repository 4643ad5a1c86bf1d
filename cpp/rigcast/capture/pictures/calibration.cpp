// The part of PictureSolver that makes pictures ready and measures the effective albedo.
#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/capture/pictures/picture_solver.h"
#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/linalg/dense/product.h"

namespace rigcast::capture {
namespace {

constexpr double nominal_albedo = 0.5;
constexpr double darkest = 0.1;  // of the mean brightness over the nominal albedo: the least light that divides
constexpr int calibration_rounds = 10;
constexpr double calibration_ridge = 1e-6;  // of the samples' weight
constexpr double margin = 8.0;              // pixels around the face, beyond the blur

void check_terms(const PictureTerms& terms, const Camera& camera) {
    const auto positive = [](const char* argument, double value) {
        if (!(value > 0.0 && std::isfinite(value))) {
            throw bad_argument("PictureSolver", argument, std::to_string(value), "a finite number above 0");
        }
    };
    const auto least_zero = [](const char* argument, double value) {
        if (!(value >= 0.0 && std::isfinite(value))) {
            throw bad_argument("PictureSolver", argument, std::to_string(value), "a finite number of at least 0");
        }
    };
    positive("photometric", terms.photometric);
    positive("corner", terms.corner);
    positive("gamma", terms.gamma);
    positive("focal", camera.focal);
    least_zero("light_ridge", terms.light_ridge);
    least_zero("sparsity", terms.sparsity);
    least_zero("tolerance", terms.tolerance);
    for (const double blur : {terms.fine, terms.coarse}) {
        if (!(blur >= 0.0 && blur <= 100.0)) {
            throw bad_argument("PictureSolver", "blur", std::to_string(blur), "from 0 to 100 pixels");
        }
    }
    if (terms.cells < 8 || terms.cells > 4096) {
        throw bad_argument("PictureSolver", "cells", std::to_string(terms.cells), "from 8 to 4096");
    }
}

}  // namespace

PictureSolver::PictureSolver(const rig::BlendshapeRig& rig, const SurfaceSamples& samples, const PointModel& points,
                             const Occluder& occluder, const Camera& camera, const PointTerms& point_terms,
                             const PictureTerms& terms)
    : samples_(samples),
      terms_(terms),
      camera_(camera),
      points_(points, camera, point_terms),
      color_(samples, camera),
      visibility_(rig, samples, occluder, camera, terms.cells),
      flow_(samples, camera, terms.followed),
      curve_(linear_curve(terms.gamma)) {
    check_terms(terms, camera);
    if (points.num_shapes() != samples.num_shapes()) {
        throw bad_argument("PictureSolver", "points", "of another rig", "of the rig of the samples");
    }
    const auto count = static_cast<std::size_t>(samples.num_samples());
    fine_sum_.assign(count, {});
    coarse_sum_.assign(count, {});
    basis_sum_.assign(count, {});
    times_seen_.assign(count, 0.0);
    const auto unknowns = static_cast<std::size_t>(samples.num_shapes() + 6);
    x_.resize(unknowns);
    low_.resize(unknowns);
    high_.resize(unknowns);
    workspace_.resize(linalg::product_workspace);
}

void PictureSolver::check(const char* function, View<const std::uint8_t, 3> picture) const {
    check_shape<const std::uint8_t, 3>(function, "picture", picture, {-1, -1, 3});
    const std::int64_t height = picture.extent(0), width = picture.extent(1);
    if (height < 16 || width < 16 || height > 8192 || width > 8192) {
        throw bad_argument(function, "picture", describe_shape<3>(picture.extents()),
                           "16 to 8,192 pixels wide and high");
    }
    if (height_ > 0 && (height != height_ || width != width_)) {
        throw bad_argument(function, "picture", describe_shape<3>(picture.extents()),
                           describe_shape<3>({height_, width_, 3}) + ", as the first one");
    }
}

/// The part of a picture that the samples and their blur need.
PixelBox PictureSolver::box(const double* weights, const HeadPose& head, std::int64_t height, std::int64_t width) {
    std::vector<double> corners(static_cast<std::size_t>(SurfaceSamples::numbers * samples_.num_samples()));
    samples_.evaluate(weights, corners.data());
    double least[2] = {1e9, 1e9}, most[2] = {-1e9, -1e9};
    for (std::size_t i = 0; i < corners.size(); i += 3) {
        double at[3];
        for (int a = 0; a < 3; ++a) {
            const double* row = head.rotation.data() + 3 * a;
            at[a] = row[0] * corners[i] + row[1] * corners[i + 1] + row[2] * corners[i + 2] + head.translation[a];
        }
        if (!(at[2] > 0.1 * samples_.radius())) continue;
        const double image[2] = {camera_.center_x + camera_.focal * at[0] / at[2],
                                 camera_.center_y + camera_.focal * at[1] / at[2]};
        for (int a = 0; a < 2; ++a) {
            least[a] = std::min(least[a], std::clamp(image[a], -1e6, 1e6));
            most[a] = std::max(most[a], std::clamp(image[a], -1e6, 1e6));
        }
    }
    const double around = margin + 2.5 * terms_.coarse;
    const auto limited = [](double value, std::int64_t low, std::int64_t high) {
        return std::clamp(static_cast<std::int64_t>(value), low, high);
    };
    PixelBox result;
    result.left = limited(least[0] - around, 0, width - 4);
    result.top = limited(least[1] - around, 0, height - 4);
    result.right = limited(most[0] + around, result.left + 4, width);
    result.bottom = limited(most[1] + around, result.top + 4, height);
    return result;
}

void PictureSolver::open(View<const std::uint8_t, 3> picture, const double* weights, const HeadPose& head) {
    check("PictureSolver.open", picture);
    height_ = picture.extent(0);
    width_ = picture.extent(1);
    picture_.read(picture, box(weights, head, height_, width_), curve_);
    picture_.blur(terms_.fine, &fine_);
    const double more = terms_.coarse * terms_.coarse - terms_.fine * terms_.fine;
    fine_.blur(std::sqrt(std::max(more, 0.0)), &coarse_);
}

void PictureSolver::calibrate(View<const std::uint8_t, 3> picture, const double* weights, const HeadPose& head) {
    open(picture, weights, head);
    visibility_.see(weights, head, height_, width_, true, &seen_);
    SampleColors colors;
    colors.albedo.assign(seen_.size(), {});
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        if (seen_[i]) colors.used.push_back(static_cast<std::int32_t>(i));
    }
    if (std::ssize(colors.used) < num_harmonics) {
        throw bad_argument("PictureSolver.calibrate", "picture", "without the face, as the head was placed",
                           "a picture that shows it");
    }
    for (const LinearImage* image : {&fine_, &coarse_}) {
        color_.start(*image, colors, {1.0, 1.0});
        if (!std::isfinite(color_.evaluate(weights, head, Light{}))) continue;
        color_.lit_samples(&lit_);
        for (std::size_t i = 0; i < colors.used.size(); ++i) {
            const std::int32_t sample = colors.used[i];
            auto& sum = (image == &fine_ ? fine_sum_ : coarse_sum_)[sample];
            for (int c = 0; c < 3; ++c) sum[c] += lit_.color[i][c];
            if (image != &fine_) continue;
            for (int b = 0; b < num_harmonics; ++b) basis_sum_[sample][b] += lit_.basis[i][b];
            times_seen_[sample] += 1.0;
        }
    }
    is_calibrated_ = false;
}

/// The light of the neutral frames under the nominal albedo, and each sample's albedo under that light.
void PictureSolver::finish_calibration() {
    if (is_calibrated_) return;
    LitSamples lit;
    double brightness = 0.0, total = 0.0;
    for (std::size_t i = 0; i < times_seen_.size(); ++i) {
        if (!(times_seen_[i] > 0.0)) continue;
        lit.basis.push_back(basis_sum_[i]);
        lit.color.push_back(fine_sum_[i]);
        for (double& y : lit.basis.back()) y /= times_seen_[i];
        for (double& color : lit.color.back()) color /= times_seen_[i];
        lit.albedo.push_back({nominal_albedo, nominal_albedo, nominal_albedo});
        lit.weight.push_back(samples_.importance()[i]);
        const auto& color = lit.color.back();
        brightness += lit.weight.back() * (color[0] + color[1] + color[2]) / 3.0;
        total += lit.weight.back();
    }
    if (lit.weight.empty()) {
        throw bad_argument("PictureSolver", "calibrate", "not called", "called with a picture of the neutral first");
    }
    brightness = std::max(brightness / total, 1e-4);
    unit_ = terms_.corner * brightness;
    neutral_light_ = {};
    capture::fit_light(lit, unit_, calibration_ridge * total, Light{}, calibration_rounds, &neutral_light_);
    fine_colors_.albedo.assign(times_seen_.size(), {});
    coarse_colors_.albedo = fine_colors_.albedo;
    for (std::size_t i = 0; i < times_seen_.size(); ++i) {
        if (!(times_seen_[i] > 0.0)) continue;
        for (int c = 0; c < 3; ++c) {
            const double light =
                std::max(neutral_light_.at(c, basis_sum_[i]) / times_seen_[i], darkest * brightness / nominal_albedo);
            fine_colors_.albedo[i][c] = fine_sum_[i][c] / (times_seen_[i] * light);
            coarse_colors_.albedo[i][c] = coarse_sum_[i][c] / (times_seen_[i] * light);
        }
    }
    is_calibrated_ = true;
}

}  // namespace rigcast::capture
