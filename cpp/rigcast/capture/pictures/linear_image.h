#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::capture {

/// A rectangle of pixels: columns left to right - 1, rows top to bottom - 1.
struct PixelBox {
    std::int64_t left = 0, top = 0, right = 0, bottom = 0;

    std::int64_t width() const { return right - left; }
    std::int64_t height() const { return bottom - top; }
};

/// A value per channel, and its derivatives by the position along x and y.
struct Texel {
    std::array<double, 4> value, by_x, by_y;
};

/// A part of a picture in linear light: red, green, blue, and their mean.
/// Positions are those of the whole picture; its upper left corner is (0, 0), the center of its first pixel (.5, .5).
class LinearImage {
public:
    /// Copies the pixels of a box of a picture (H, W, 3): entry v of `curve` (256) is the linear light of 8 bits v.
    void read(View<const std::uint8_t, 3> picture, const PixelBox& box, const std::array<float, 256>& curve);
    /// This image under a Gaussian of standard deviation sigma, in pixels; pixels at the edges are repeated. Method:
    /// separable, cut off at 2.5 sigma.
    void blur(double sigma, LinearImage* result) const;

    const PixelBox& box() const { return box_; }
    /// Channels at a position, by the cubic convolution of Keys (1981) with a = -1/2, whose first derivatives are
    /// continuous. Outside, the pixels at the edge are repeated.
    void sample(double x, double y, Texel* result) const;
    /// The mean channel at a position, bilinear.
    float gray(double x, double y) const;

private:
    const float* texel(std::int64_t x, std::int64_t y) const { return numbers_.data() + 4 * (y * box_.width() + x); }

    PixelBox box_;
    std::vector<float> numbers_;  // (height, width, 4)
};

/// The curve of pictures that were encoded with the power 1 / gamma.
std::array<float, 256> linear_curve(double gamma);

}  // namespace rigcast::capture
