#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/products/tangent_kernels.h"
#include "rigcast/network/activation.h"

/// What makes an output of a sum: finish(sum, bias, frame, column).
namespace rigcast::cuda {

/// f(x). NaN stays NaN.
RIGCAST_DEVICE inline float activated(network::Activation activation, float x) {
    switch (activation) {
        case network::Activation::none:
            return x;
        case network::Activation::tanh:
            return tanhf(x);
        case network::Activation::relu:
            return x <= 0.0f ? 0.0f : x;
        case network::Activation::leaky_relu:
            return x > 0.0f ? x : network::leaky_slope * x;
        case network::Activation::smooth_leaky_relu: {
            constexpr float slope = network::leaky_slope;
            const float r = x <= -1.0f ? 0.0f : x + 1.0f;
            return x > 1.0f ? x : slope * x + 0.25f * (1.0f - slope) * r * r;
        }
    }
    return x;
}

/// A gradient times f', from the value y = f(x); at 0 the derivative from the left.
RIGCAST_DEVICE inline float times_slope(network::Activation activation, float gradient, float y) {
    switch (activation) {
        case network::Activation::none:
            return gradient;
        case network::Activation::tanh:
            return gradient * (1.0f - y * y);
        case network::Activation::relu:
            return y > 0.0f ? gradient : 0.0f;
        case network::Activation::leaky_relu:
            return y > 0.0f ? gradient : network::leaky_slope * gradient;
        case network::Activation::smooth_leaky_relu: {
            constexpr float slope = network::leaky_slope;
            return gradient * sqrtf(fminf(fmaxf(slope + (1.0f - slope) * y, slope * slope), 1.0f));
        }
    }
    return gradient;
}

/// Finishes an output y = f(W x + b) from the sum W x.
struct BiasAndActivation {
    const float* biases;
    network::Activation activation;

    RIGCAST_DEVICE float operator()(float sum, std::int64_t bias, std::int64_t, std::int64_t) const {
        return activated(activation, sum + biases[bias]);
    }
};

/// Leaves a sum as it is.
struct Unfinished {
    RIGCAST_DEVICE float operator()(float sum, std::int64_t, std::int64_t, std::int64_t) const { return sum; }
};

/// Finishes the tangent of an output dy = (W dx) f', from the values y (T, width).
struct TimesSlope {
    const float* values;
    std::int64_t width;
    TangentFrames frames;
    network::Activation activation;

    RIGCAST_DEVICE float operator()(float sum, std::int64_t, std::int64_t tangent, std::int64_t output) const {
        return times_slope(activation, sum, values[frames.frame(tangent) * width + output]);
    }
};

}  // namespace rigcast::cuda
