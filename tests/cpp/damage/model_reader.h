#pragma once
#include <cstddef>
#include <span>

namespace rigcast::checks {

/// Reads bytes as a model file and, where that works, makes the model and runs all it can do on the rest pose.
/// True if the bytes were a model that gives finite results; anything but ArgumentError escapes.
bool read_model(std::span<const std::byte> bytes);

}  // namespace rigcast::checks
