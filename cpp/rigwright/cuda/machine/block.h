#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"

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

/// Sums that a team makes together.
template <int Count>
struct Sums {
    double value[Count];
};

/// A *team kernel* is a value with
///   static constexpr int threads;             of a block
///   template <class Team> void operator()(const Team&) const;
/// that every thread of a block runs from its first line to its last, all on the same path: what decides a branch must
/// be the same for all of them. They share work through a Team, whose calls all threads make alike:
///   index(), count()                          which block this is, of how many
///   shared()                                  memory of the block, of the size that the launch asked for, undefined at
///                                             first
///   each(n, f)                                f(i) for i < n, in any order
///   rows(n, width, f)                         f(row, column) for row < n, column < width(row), in any order
///   sum<Count>(n, f)                          the sums of what f(i, Sums&) adds for i < n
///   largest(n, f)                             the largest f(i), i < n, and 0
/// each and rows have a barrier on both sides, so that code between the calls may read what any thread wrote and no
/// thread overwrites what another still reads. A call of f must not read what another call of the same f writes.

}  // namespace rigwright::cuda
