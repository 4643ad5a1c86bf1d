#pragma once
#include <string>
#include <vector>

namespace rigwright {

/// The instruction sets that this processor runs and the kernels are compiled for, best first: some of
/// "AVX-512", "AVX2", "SSE4", "portable".
std::vector<std::string> instruction_sets();

/// The instruction set that the kernels use, chosen once a process: the best one, or the one that the
/// environment variable RIGWRIGHT_INSTRUCTION_SET names (results then agree bit for bit between processors
/// that share it). Kernels are called through dispatch.h, which asks this first. Throws ArgumentError if the
/// variable names none of instruction_sets().
const std::string& instruction_set();

}  // namespace rigwright
