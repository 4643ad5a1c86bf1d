#pragma once
#include <cstdint>

namespace rigcast::render {

/// What a sensor makes of radiance, in this order: times `exposure`; Gaussian blur; clipped to [0, 1] and to the power
/// 1 / gamma; noise; rounded to 8 bits.
struct Sensor {
    double exposure = 1.0;
    double blur = 0.0;   // standard deviation in pixels, at most 50
    double noise = 0.0;  // standard deviation in the unit of the 8-bit range, at most 1
    double gamma = 2.2;
    std::uint64_t seed = 0;
};

/// The noise of a value: approximately normal with mean 0 and variance 1, within +-4.9 (the sum of eight uniform
/// numbers). It depends on seed and index alone, and is computed in whole numbers.
double noise_of(std::uint64_t seed, std::uint64_t index);

/// Writes the picture (H, W, 3) of radiance (H, W, 3), which is overwritten.
void expose(const Sensor& sensor, std::int64_t height, std::int64_t width, float* radiance, std::uint8_t* picture);

}  // namespace rigcast::render
