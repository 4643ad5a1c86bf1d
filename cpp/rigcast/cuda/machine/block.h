#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

namespace rigcast::cuda {

/// The position of a block of threads in its grid.
///
/// Kernels are written once. Machine::run_tiles and Machine::run_teams run them on a GPU (gpu.h), or on the host, which
/// emulates a GPU's blocks (emulation.h). A new operation is a kernel, a function in tests/cuda/operations.h, and a row
/// in tests/cuda/operations.py.
///
/// A *tile kernel* is an object with
///   static constexpr int threads;             threads per block
///   static constexpr int blocks;              optional: blocks per multiprocessor that registers must suffice for
///   struct Shared;                            memory that the threads of a block share for one step, uninitialized
///   struct Fetched;                           what a thread carries from memory to Shared
///   struct Registers;                         memory of one thread, zero-initialized
///   int steps(Block) const;
///   void fetch(Block, int thread, int step, Fetched&) const;                reads memory
///   void put(Block, int thread, int step, const Fetched&, Shared&) const;   writes Shared
///   void multiply(Block, int thread, const Shared&, Registers&) const;      reads Shared
///   void store(Block, int thread, const Registers&) const;                  writes results
/// Each block runs, for each step: all threads put what they fetched, barrier, all threads fetch the next step and
/// multiply this one; then all threads store. Two Shared take turns, so that one barrier per step is enough and memory
/// is read while the matrix units (matrix_units.h) multiply.
struct Block {
    std::int64_t row;
    std::int64_t column;
};

/// Sums over the threads of a team; Count is at most 4.
template <int Count>
struct Sums {
    double value[Count];
};

/// A *team kernel* is an object with
///   static constexpr int threads;             threads per block: a multiple of 32, at most 256
///   static constexpr int blocks;              optional: blocks per multiprocessor that registers must suffice for
///   template <class Team> void operator()(const Team&) const;
/// All threads of a block run it from start to end on the same path: every branch condition must be the same in all of
/// them. They share work through the Team, whose functions all threads call together:
///   index(), count()                          the block's index, and the number of blocks
///   shared()                                  memory that the block shares, uninitialized, of the size given at launch
///   each(n, f)                                f(i) for i < n, in any order
///   rows(n, width, f)                         f(row, column) for row < n, column < width(row), in any order
///   sum<Count>(n, f)                          the sums of the values that f(i, Sums&) adds, i < n
///   largest(n, f)                             the maximum of 0 and f(i), i < n
/// Barriers: each and rows have one before and one after all calls of f, so that code between them may read what any
/// thread has written, and no thread overwrites what another still reads. sum and largest have none before and one
/// after: their f must read only what was written before the last barrier. They return the same bits to all threads.
/// A call of f must not read what another call of the same f writes.

/// Writes a number, or 16 bytes at a multiple of 16, that nothing reads soon: it leaves the L2 cache before what is
/// read again.
template <class T>
RIGCAST_DEVICE void store_streaming(T* to, const T& value) {
#ifdef __CUDA_ARCH__
    static_assert(sizeof(T) == sizeof(float) || sizeof(T) == sizeof(float4));
    if constexpr (sizeof(T) == sizeof(float4)) {
        __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(&value));
    } else {
        __stcs(to, value);
    }
#else
    *to = value;
#endif
}

}  // namespace rigcast::cuda
