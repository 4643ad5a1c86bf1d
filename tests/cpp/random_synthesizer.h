#pragma once
#include <cstdint>

#include "rigcast/core/files/tensor_file.h"

namespace rigcast::checks {

/// A synthesizer of two labels, "rest" and "talk", over four controls: latent paths of two dimensions, the second of
/// them with inducing points, joined by a bridge. The same seed gives the same file.
TensorFile random_synthesizer(std::uint64_t seed);

}  // namespace rigcast::checks
