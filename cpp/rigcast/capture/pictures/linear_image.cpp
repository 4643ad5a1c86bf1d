#include "rigcast/capture/pictures/linear_image.h"

#include <algorithm>
#include <cmath>

#include "rigcast/linalg/gram_kernels.h"

namespace rigcast::capture {
namespace {

constexpr double reach = 2.5;  // of a Gaussian, in standard deviations

/// Weights of the four pixels around a position `t` of [0, 1) behind the second of them, and their derivatives.
struct CubicWeights {
    explicit CubicWeights(double t)
        : weight{t * (-0.5 + t * (1.0 - 0.5 * t)), 1.0 + t * t * (1.5 * t - 2.5), t * (0.5 + t * (2.0 - 1.5 * t)),
                 t * t * (0.5 * t - 0.5)},
          slope{-0.5 + t * (2.0 - 1.5 * t), t * (4.5 * t - 5.0), 0.5 + t * (4.0 - 4.5 * t), t * (1.5 * t - 1.0)} {}
    double weight[4], slope[4];
};

}  // namespace

std::array<float, 256> linear_curve(double gamma) {
    std::array<float, 256> curve;
    for (int v = 0; v < 256; ++v) curve[v] = static_cast<float>(std::pow(v / 255.0, gamma));
    return curve;
}

void LinearImage::read(View<const std::uint8_t, 3> picture, const PixelBox& box, const std::array<float, 256>& curve) {
    box_ = box;
    numbers_.resize(static_cast<std::size_t>(4 * box.width() * box.height()));
    float* to = numbers_.data();
    for (std::int64_t y = box.top; y < box.bottom; ++y) {
        const std::uint8_t* from = picture.row(y) + 3 * box.left;
        for (std::int64_t x = 0; x < box.width(); ++x, from += 3, to += 4) {
            for (int c = 0; c < 3; ++c) to[c] = curve[from[c]];
            to[3] = (to[0] + to[1] + to[2]) / 3.0f;
        }
    }
}

void LinearImage::blur(double sigma, LinearImage* result) const {
    const std::int64_t radius = static_cast<std::int64_t>(std::ceil(reach * sigma)), taps = 2 * radius + 1;
    const std::int64_t width = box_.width(), height = box_.height();
    std::vector<float> weight(static_cast<std::size_t>(taps));
    double sum = 0.0;
    for (std::int64_t k = 0; k < taps; ++k) {
        const double away = static_cast<double>(k - radius) / std::max(sigma, 1e-6);
        weight[k] = static_cast<float>(std::exp(-0.5 * away * away));
        sum += weight[k];
    }
    for (float& w : weight) w = static_cast<float>(w / sum);
    const linalg::GramKernels& kernels = linalg::gram_kernels();
    std::vector<float> across(numbers_.size()), row(static_cast<std::size_t>(4 * (width + 2 * radius)));
    std::vector<const float*> from(static_cast<std::size_t>(taps));
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = -radius; x < width + radius; ++x) {
            std::copy_n(texel(std::clamp<std::int64_t>(x, 0, width - 1), y), 4, row.data() + 4 * (x + radius));
        }
        for (std::int64_t k = 0; k < taps; ++k) from[k] = row.data() + 4 * k;
        kernels.sum_rows_single(weight.data(), from.data(), taps, across.data() + 4 * y * width, 4 * width);
    }
    result->box_ = box_;
    result->numbers_.resize(numbers_.size());
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t k = 0; k < taps; ++k) {
            from[k] = across.data() + 4 * width * std::clamp<std::int64_t>(y + k - radius, 0, height - 1);
        }
        kernels.sum_rows_single(weight.data(), from.data(), taps, result->numbers_.data() + 4 * y * width, 4 * width);
    }
}

void LinearImage::sample(double x, double y, Texel* result) const {
    const double u = x - static_cast<double>(box_.left) - 0.5, v = y - static_cast<double>(box_.top) - 0.5;
    const double column = std::floor(u), line = std::floor(v);
    const CubicWeights across(u - column), down(v - line);
    *result = {};
    for (int j = 0; j < 4; ++j) {
        const std::int64_t at_y =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(line) + j - 1, 0, box_.height() - 1);
        double sum[4] = {}, slope[4] = {};
        for (int i = 0; i < 4; ++i) {
            const std::int64_t at_x =
                std::clamp<std::int64_t>(static_cast<std::int64_t>(column) + i - 1, 0, box_.width() - 1);
            const float* from = texel(at_x, at_y);
            for (int c = 0; c < 4; ++c) {
                sum[c] += across.weight[i] * from[c];
                slope[c] += across.slope[i] * from[c];
            }
        }
        for (int c = 0; c < 4; ++c) {
            result->value[c] += down.weight[j] * sum[c];
            result->by_x[c] += down.weight[j] * slope[c];
            result->by_y[c] += down.slope[j] * sum[c];
        }
    }
}

float LinearImage::gray(double x, double y) const {
    const double u = std::clamp(x - static_cast<double>(box_.left) - 0.5, 0.0, static_cast<double>(box_.width() - 1));
    const double v = std::clamp(y - static_cast<double>(box_.top) - 0.5, 0.0, static_cast<double>(box_.height() - 1));
    const auto column = static_cast<std::int64_t>(u), line = static_cast<std::int64_t>(v);
    const std::int64_t next = std::min(column + 1, box_.width() - 1), below = std::min(line + 1, box_.height() - 1);
    const auto a = static_cast<float>(u - static_cast<double>(column));
    const auto b = static_cast<float>(v - static_cast<double>(line));
    const float upper = (1.0f - a) * texel(column, line)[3] + a * texel(next, line)[3];
    const float lower = (1.0f - a) * texel(column, below)[3] + a * texel(next, below)[3];
    return (1.0f - b) * upper + b * lower;
}

}  // namespace rigcast::capture
