#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace rigcast::network {

/// Reads every cache line of `bytes` once, from first to last, by the widest loads of the instruction set in use, and
/// does as little else as possible: its time is how fast this machine reads so many bytes. With several threads each
/// reads a piece of its own, without a break. Returns the exclusive or of all 64-bit words, in which a last word that
/// is incomplete is filled up with zeros; threads <= 0 means all processors.
std::uint64_t read_memory(std::span<const std::byte> bytes, int threads);

}  // namespace rigcast::network
