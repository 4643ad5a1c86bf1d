#include "rigcast/render/sensor.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rigcast::render {

namespace {

/// The mixing function of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t scrambled(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::vector<float> kernel_of(double sigma) {
    const int radius = static_cast<int>(std::ceil(3.0 * sigma));
    std::vector<double> weights(2 * radius + 1);
    double sum = 0.0;
    for (int i = -radius; i <= radius; ++i) sum += weights[i + radius] = std::exp(-0.5 * i * i / (sigma * sigma));
    std::vector<float> kernel;
    for (double w : weights) kernel.push_back(static_cast<float>(w / sum));
    return kernel;
}

/// Convolves `lines` lines of `count` pixels; pixels beyond the ends are those at the ends.
void blur_lines(const std::vector<float>& kernel, std::int64_t lines, std::int64_t line_step, std::int64_t count,
                std::int64_t step, float* values, std::vector<float>& line) {
    const auto radius = static_cast<std::int64_t>(kernel.size() / 2);
    line.resize(3 * (count + 2 * radius));
    for (std::int64_t l = 0; l < lines; ++l) {
        float* first = values + l * line_step;
        for (std::int64_t i = -radius; i < count + radius; ++i)
            std::copy_n(first + std::clamp<std::int64_t>(i, 0, count - 1) * step, 3, &line[3 * (i + radius)]);
        for (std::int64_t i = 0; i < count; ++i) {
            float sum[3] = {0, 0, 0};
            for (std::size_t k = 0; k < kernel.size(); ++k) {
                for (int c = 0; c < 3; ++c) sum[c] += kernel[k] * line[3 * (i + static_cast<std::int64_t>(k)) + c];
            }
            std::copy_n(sum, 3, first + i * step);
        }
    }
}

}  // namespace

double noise_of(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t start = scrambled(seed) + 2 * index;
    std::int64_t sum = 0;  // of eight numbers of 16 bits: mean 8 (2^16 - 1) / 2, variance 8 (2^32 - 1) / 12
    for (std::uint64_t part = 0; part < 2; ++part) {
        const std::uint64_t bits = scrambled(start + part);
        for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int64_t>((bits >> shift) & 0xffff);
    }
    return static_cast<double>(sum - 4 * 65535) / 53509.9;
}

void expose(const Sensor& sensor, std::int64_t height, std::int64_t width, float* radiance, std::uint8_t* picture) {
    if (sensor.blur > 0.0) {
        const std::vector<float> kernel = kernel_of(sensor.blur);
        std::vector<float> line;
        blur_lines(kernel, height, 3 * width, width, 3, radiance, line);
        blur_lines(kernel, width, 3, height, 3 * width, radiance, line);
    }
    const auto power = static_cast<float>(1.0 / sensor.gamma);
    for (std::int64_t i = 0; i < 3 * height * width; ++i) {
        const auto light = static_cast<float>(std::clamp(sensor.exposure * radiance[i], 0.0, 1.0));
        double value = std::pow(light, power);
        if (sensor.noise > 0.0) value += sensor.noise * noise_of(sensor.seed, static_cast<std::uint64_t>(i));
        picture[i] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255.0 + 0.5);
    }
}

}  // namespace rigcast::render
