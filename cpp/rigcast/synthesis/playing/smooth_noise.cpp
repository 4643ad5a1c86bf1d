#include "rigcast/synthesis/playing/smooth_noise.h"

#include <cmath>
#include <numbers>
#include <string>

#include "rigcast/core/error.h"

namespace rigcast::synthesis {
namespace {

constexpr double reach = 5.0;  // timescales beyond which a bump, exp(-25), is left out

std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Box & Muller (1958).
double normal_at(std::uint64_t seed, std::uint64_t channel, std::uint64_t place) {
    const double radius = std::sqrt(-2.0 * std::log(uniform_at(seed, 2 * channel, place)));
    return radius * std::cos(2.0 * std::numbers::pi * uniform_at(seed, 2 * channel + 1, place));
}

}  // namespace

double uniform_at(std::uint64_t seed, std::uint64_t channel, std::uint64_t place) {
    const std::uint64_t bits = mixed(mixed(mixed(seed) ^ channel) ^ place);
    return (static_cast<double>(bits >> 11) + 1.0) * 0x1p-53;
}

SmoothNoise::SmoothNoise(double timescale)
    : timescale_(timescale),
      spacing_(0.5 * timescale),
      // The covariance of the bumps at distance 0 is amplitude^2 timescale sqrt(pi / 2) / spacing.
      amplitude_(std::sqrt(0.5 / std::sqrt(0.5 * std::numbers::pi))) {
    if (!(std::isfinite(timescale) && timescale > 0.0)) {
        throw bad_argument("SmoothNoise", "timescale", std::to_string(timescale), "a finite number above 0");
    }
}

SmoothNoise::Window SmoothNoise::window(double begin, double end) const {
    const auto first = static_cast<std::int64_t>(std::floor((begin - reach * timescale_) / spacing_));
    const auto last = static_cast<std::int64_t>(std::ceil((end + reach * timescale_) / spacing_));
    return {first, last - first + 1};
}

void SmoothNoise::heights(std::uint64_t seed, std::uint64_t channel, Window window, double* heights) const {
    for (std::int64_t i = 0; i < window.count; ++i) {
        heights[i] = normal_at(seed, channel, static_cast<std::uint64_t>(window.first + i));
    }
}

void SmoothNoise::weights(double time, Window window, double* weights) const {
    for (std::int64_t i = 0; i < window.count; ++i) {
        const double away = (time - spacing_ * static_cast<double>(window.first + i)) / timescale_;
        weights[i] = std::abs(away) > reach ? 0.0 : amplitude_ * std::exp(-away * away);
    }
}

}  // namespace rigcast::synthesis
