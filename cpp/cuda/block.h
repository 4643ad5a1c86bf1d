#pragma once
#include <cstdint>

namespace rigwright::cuda {

/// Where a block of threads stands in its grid.
///
/// A *tile kernel* is a value with
///   static constexpr int threads;             of a block
///   struct Shared;                            memory that a block shares, undefined at first
///   struct Registers;                         memory of a thread, zero at first
///   int steps(Block) const;
///   void load(Block, int thread, int step, Shared&) const;        fills Shared
///   void multiply(int thread, const Shared&, Registers&) const;   reads Shared
///   void store(Block, int thread, const Registers&) const;        writes results
/// run as: for each step, all threads load, barrier, all threads multiply, barrier; at the end all store.
struct Block {
    std::int64_t row, column;
};

}  // namespace rigwright::cuda
