#pragma once

namespace rigcast::network {

/// The activation f of a dense layer: none (identity), tanh, relu: max(x, 0), or leaky_relu: x if x > 0, else
/// leaky_slope * x. At 0 the derivative is the left-hand one: relu'(0) = 0, leaky_relu'(0) = leaky_slope.
/// smooth_leaky_relu: leaky_relu with a parabola from -1 to 1, s x + (1 - s) min(max(x + 1, 0), 2)^2 / 4 and x above 1,
/// with s = leaky_slope. Its derivative is continuous: f' = sqrt(clamp(s + (1 - s) y, s^2, 1)).
enum class Activation { none, tanh, relu, leaky_relu, smooth_leaky_relu };

constexpr float leaky_slope = 0.2f;

}  // namespace rigcast::network
