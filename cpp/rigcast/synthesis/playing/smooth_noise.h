#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rigcast::synthesis {

/// A draw from a zero-mean Gaussian process in time with unit variance,
///
///     cov(f(t), f(t')) = exp(-(t - t')^2 / (2 timescale^2)),
///
/// as a sum of Gaussian bumps of width timescale with independent normal heights, two per timescale; the covariance is
/// that of the formula to 3e-9. A height is a function of seed, channel and place alone, so f is one function of time:
/// any stage of an integrator, any restart and any thread reads the same values, and f never repeats.
class SmoothNoise {
public:
    /// timescale: positive, in the unit of time. Throws ArgumentError.
    explicit SmoothNoise(double timescale);

    /// Timescales from 0 up to which times have bumps of their own; window() may be called for no others.
    static constexpr double farthest = 0x1p50;
    bool reaches(double time) const { return std::abs(time) <= farthest * timescale_; }
    /// The frame up to which, on both sides of 0, all times are reached.
    static std::int64_t farthest_frame(double frame_time, double timescale) {
        return static_cast<std::int64_t>(std::min(farthest, std::floor(farthest * (timescale / frame_time))));
    }

    /// Bumps that reach into the times of a call.
    struct Window {
        std::int64_t first, count;
    };
    Window window(double begin, double end) const;

    /// Heights (window.count) of the bumps of one channel.
    void heights(std::uint64_t seed, std::uint64_t channel, Window window, double* heights) const;

    /// Heights of the bumps at `time`, by which f(time) = sum of weights * heights. Both are (window.count).
    void weights(double time, Window window, double* weights) const;

private:
    double timescale_, spacing_, amplitude_;
};

/// A number from 0 (exclusive) to 1 (inclusive) that is a function of its arguments: the finalizer of SplitMix64
/// (Steele, Lea & Flood 2014) over all of them.
double uniform_at(std::uint64_t seed, std::uint64_t channel, std::uint64_t place);

}  // namespace rigcast::synthesis
