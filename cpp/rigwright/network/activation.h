#pragma once

namespace rigwright::network {

/// The activation f of a dense layer: none (identity), tanh, relu: max(x, 0), or leaky_relu: x if x > 0, else
/// leaky_slope * x. At 0 the derivative is the left-hand one: relu'(0) = 0, leaky_relu'(0) = leaky_slope.
enum class Activation { none, tanh, relu, leaky_relu };

constexpr float leaky_slope = 0.2f;

}  // namespace rigwright::network
