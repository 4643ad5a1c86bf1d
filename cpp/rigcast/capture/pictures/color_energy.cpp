#include "rigcast/capture/pictures/color_energy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigcast::capture {
namespace {

using linalg::Vec3;

constexpr double nearest_share = 0.3;  // of the radius: the nearest that a sample may come to the camera
constexpr double least_area = 1e-20;   // of a triangle over the squared radius

/// R v of a row-major rotation.
Vec3 turned(const std::array<double, 9>& r, const Vec3& v) {
    return {r[0] * v[0] + r[1] * v[1] + r[2] * v[2], r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
            r[6] * v[0] + r[7] * v[1] + r[8] * v[2]};
}

/// R^T v.
Vec3 turned_back(const std::array<double, 9>& r, const Vec3& v) {
    return {r[0] * v[0] + r[3] * v[1] + r[6] * v[2], r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
            r[2] * v[0] + r[5] * v[1] + r[8] * v[2]};
}

}  // namespace

ColorEnergy::ColorEnergy(const SurfaceSamples& samples, const Camera& camera)
    : samples_(samples), camera_(camera), nearest_(nearest_share * samples.radius()) {
    corners_.resize(static_cast<std::size_t>(SurfaceSamples::numbers * samples.num_samples()));
    const std::int64_t row = color_row_width(samples.row_width());
    rows_.resize(static_cast<std::size_t>(3 * samples_per_batch * row));
    sums_.resize(static_cast<std::size_t>(row * row));
}

void ColorEnergy::start(const LinearImage& image, const SampleColors& colors, const ColorTerm& term) {
    image_ = &image;
    colors_ = &colors;
    term_ = term;
    points_.resize(colors.used.size());
    total_ = 0.0;
    for (const std::int32_t i : colors.used) total_ += 3.0 * samples_.importance()[i];
    total_ = std::max(total_, 1e-300);
}

/// Places a sample before the camera. Returns false if it lies behind it.
bool ColorEnergy::place(std::int32_t sample, const HeadPose& head, Point* point) const {
    const double* corners = corners_.data() + SurfaceSamples::numbers * sample;
    const double* share = samples_.shares(sample);
    const Vec3 a = Vec3::at(corners), first = Vec3::at(corners, 1) - a, second = Vec3::at(corners, 2) - a;
    const double sum = share[0] + share[1] + share[2];
    point->arm = turned(head.rotation, sum * a + share[1] * first + share[2] * second);
    point->place = point->arm + Vec3{head.translation[0], head.translation[1], head.translation[2]};
    if (!(point->place[2] > nearest_)) return false;
    point->sides[0] = turned(head.rotation, first);
    point->sides[1] = turned(head.rotation, second);
    const Vec3 across = cross(point->sides[0], point->sides[1]);
    point->area = std::max(length(across), least_area * samples_.radius() * samples_.radius());
    point->normal = (1.0 / point->area) * across;
    point->at = {camera_.center_x + camera_.focal * point->place[0] / point->place[2],
                 camera_.center_y + camera_.focal * point->place[1] / point->place[2]};
    return true;
}

double ColorEnergy::evaluate(const double* weights, const HeadPose& head, const Light& light) {
    head_ = head;
    light_ = light;
    samples_.evaluate(weights, corners_.data());
    double sum = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const std::int32_t sample = colors_->used[i];
        Point& point = points_[i];
        if (!place(sample, head, &point)) return std::numeric_limits<double>::infinity();
        image_->sample(point.at[0], point.at[1], &point.texel);
        point.basis = harmonics(point.normal);
        double loss = 0.0;
        for (int c = 0; c < 3; ++c) {
            const double shown = colors_->albedo[sample][c] * light.at(c, point.basis);
            point.miss[c] = (point.texel.value[c] - shown) / term_.unit;
            loss += huber(point.miss[c]);
        }
        sum += samples_.importance()[sample] * loss;
    }
    return term_.weight / total_ * sum;
}

/// The rows of used sample i, scaled so that their Gram matrix is the Hessian and, with the value, the gradient.
void ColorEnergy::fill(std::size_t i, ColorRows* rows) const {
    const Point& point = points_[i];
    const std::int32_t sample = colors_->used[i];
    const double* share = samples_.shares(sample);
    const std::array<Vec3, num_harmonics> slopes = harmonic_slopes(point.normal);
    const double depth = point.place[2], scale = camera_.focal / (depth * term_.unit);
    for (int c = 0; c < 3; ++c) {
        const double weight = 2.0 * term_.weight / total_ * samples_.importance()[sample] * huber_weight(point.miss[c]);
        const double root = std::sqrt(weight), gx = scale * point.texel.by_x[c], gy = scale * point.texel.by_y[c];
        const Vec3 by_place{gx, gy, -(gx * point.place[0] + gy * point.place[1]) / depth};
        Vec3 by_normal{0.0, 0.0, 0.0};
        for (int b = 0; b < num_harmonics; ++b) by_normal = by_normal + light_.gamma[c][b] * slopes[b];
        by_normal = (-colors_->albedo[sample][c] / term_.unit) * by_normal;
        const Vec3 turn = cross(point.arm, by_place) + cross(point.normal, by_normal);
        const Vec3 flat = (1.0 / point.area) * (by_normal - dot(by_normal, point.normal) * point.normal);
        const Vec3 first = cross(point.sides[1], flat), second = cross(flat, point.sides[0]);
        const Vec3 corner[3] = {share[0] * by_place - first - second, share[1] * by_place + first,
                                share[2] * by_place + second};
        for (int j = 0; j < 3; ++j) {
            const Vec3 own = turned_back(head_.rotation, corner[j]);
            for (int axis = 0; axis < 3; ++axis) {
                rows->left[c][3 * j + axis] = static_cast<float>(root * own[axis]);
            }
            rows->head[c][j] = static_cast<float>(root * turn[j]);
            rows->head[c][3 + j] = static_cast<float>(root * by_place[j]);
        }
        rows->value[c] = static_cast<float>(root * point.miss[c]);
    }
}

void ColorEnergy::add_derivatives(const double* weights, double* gradient, double* hessian, std::int64_t stride) {
    const std::int64_t width = samples_.row_width(), row = color_row_width(width), shapes = samples_.num_shapes();
    const float* derivatives = samples_.derivatives(weights, &memory_);
    const NormalKernels& kernels = normal_kernels();
    std::fill(sums_.begin(), sums_.end(), 0.0);
    ColorRows batch[samples_per_batch];
    const float* from[samples_per_batch];
    for (std::size_t i = 0; i < points_.size(); i += samples_per_batch) {
        const auto count = static_cast<std::int64_t>(std::min<std::size_t>(samples_per_batch, points_.size() - i));
        for (std::int64_t j = 0; j < count; ++j) {
            fill(i + static_cast<std::size_t>(j), &batch[j]);
            from[j] = derivatives + SurfaceSamples::numbers * width * colors_->used[i + static_cast<std::size_t>(j)];
        }
        kernels.fill_rows(batch, from, count, width, rows_.data());
        kernels.add_gram(rows_.data(), 3 * count, row, sums_.data());
    }
    const auto place = [&](std::int64_t i) { return i < shapes ? i : width + i - shapes; };
    for (std::int64_t i = 0; i < shapes + 6; ++i) {
        const double* sums = sums_.data() + place(i) * row;
        gradient[i] += sums[width + 6];
        for (std::int64_t j = i; j < shapes + 6; ++j) {
            hessian[i * stride + j] += sums[place(j)];
            if (j != i) hessian[j * stride + i] += sums[place(j)];
        }
    }
}

void ColorEnergy::lit_samples(LitSamples* result) const {
    const std::size_t count = points_.size();
    result->basis.resize(count);
    result->albedo.resize(count);
    result->color.resize(count);
    result->weight.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t sample = colors_->used[i];
        result->basis[i] = points_[i].basis;
        result->albedo[i] = colors_->albedo[sample];
        std::copy_n(points_[i].texel.value.begin(), 3, result->color[i].begin());
        result->weight[i] = samples_.importance()[sample];
    }
}

}  // namespace rigcast::capture
