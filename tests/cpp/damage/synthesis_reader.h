#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace rigcast::checks {

/// A small file with what the engine reads of a synthesizer: points, values and inducing points of a latent space, its
/// kernel, and a path through it.
std::vector<std::byte> synthesis_file(int frames, int inducing, unsigned seed);

/// Reads bytes as such a file and, where that works, computes what players ask of it: means, variances, the density
/// field, shortest paths, a particle that follows the path. True if all of it could be made; anything but ArgumentError
/// and NumericalError escapes.
bool read_synthesis(std::span<const std::byte> bytes);

}  // namespace rigcast::checks
