#pragma once

namespace rigwright::network {

/// The function f of a dense layer: the identity, tanh, max(x, 0), or x for x > 0 and leaky_slope x otherwise. At 0 the
/// derivative is the one from the left: relu'(0) = 0, leaky_relu'(0) = leaky_slope.
enum class Activation { none, tanh, relu, leaky_relu };

constexpr float leaky_slope = 0.01f;

}  // namespace rigwright::network
