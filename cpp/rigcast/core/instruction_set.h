#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace rigcast {

/// The instruction sets that the kernels are compiled for and this processor runs, best first: a subset of "AVX-512",
/// "AVX2", "SSE4", "NEON", "WASM", "portable".
std::vector<std::string> instruction_sets();

/// The instruction set that the kernels use. It is chosen at the first call and stays: the one that the environment
/// variable RIGCAST_INSTRUCTION_SET names, else the best one. Processors that use the same set give the same bytes.
/// Throws ArgumentError if the variable names none of instruction_sets().
const std::string& instruction_set();

/// The index of instruction_set() in the table of a kernel (core/dispatch.h). Throws what instruction_set() throws.
std::size_t chosen_set();

}  // namespace rigcast
