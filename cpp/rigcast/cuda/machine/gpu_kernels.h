#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "rigcast/cuda/machine/block.h"

/// How gpu.h runs the kernels of block.h on an NVIDIA GPU.
namespace rigcast::cuda {

/// The largest number of rows of a grid (CUDA). If there are more, each block computes several, one after another.
constexpr std::int64_t max_grid_rows = 65535;

template <class F>
__global__ void __launch_bounds__(256)
    element_kernel(std::int64_t rows, std::int64_t columns, const __grid_constant__ F f) {
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) f(row, column);
}

/// Blocks of a kernel that a multiprocessor shall hold at least: Kernel::blocks, or one.
template <class Kernel>
constexpr int num_blocks() {
    if constexpr (requires { Kernel::blocks; }) {
        return Kernel::blocks;
    } else {
        return 1;
    }
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, num_blocks<Kernel>())
    tile_kernel(std::int64_t rows, const __grid_constant__ Kernel kernel) {
    extern __shared__ __align__(16) unsigned char tile_memory[];
    auto* shared = reinterpret_cast<typename Kernel::Shared*>(tile_memory);  // two take turns
    const int thread = static_cast<int>(threadIdx.x);
    for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
        typename Kernel::Registers registers = {};
        typename Kernel::Fetched fetched;
        const Block block{row, blockIdx.x};
        const int steps = kernel.steps(block);
        if (steps > 0) kernel.fetch(block, thread, 0, fetched);
        for (int step = 0; step < steps; ++step) {
            typename Kernel::Shared& now = shared[step % 2];
            kernel.put(block, thread, step, fetched, now);
            __syncthreads();
            if (step + 1 < steps) kernel.fetch(block, thread, step + 1, fetched);
            kernel.multiply(block, thread, now, registers);
        }
        kernel.store(block, thread, registers);
        __syncthreads();  // the next row begins with the first of the two again
    }
}

/// The threads of a block (block.h). Sums are taken over the lanes of a warp, then over the warps in order.
class Team {
public:
    __device__ Team(double* memory, double* partial) : memory_(memory), partial_(partial) {}

    __device__ std::int64_t index() const { return blockIdx.x; }
    __device__ std::int64_t count() const { return gridDim.x; }
    __device__ double* shared() const { return memory_; }

    template <class F>
    __device__ void each(int n, const F& f) const {
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) f(i);
        __syncthreads();
    }
    template <class Width, class F>
    __device__ void rows(int n, const Width& width, const F& f) const {
        __syncthreads();
        for (int row = warp(); row < n; row += warps()) {
            for (int column = lane(); column < width(row); column += lanes) f(row, column);
        }
        __syncthreads();
    }
    template <int Count, class F>
    __device__ Sums<Count> sum(int n, const F& f) const {
        Sums<Count> mine = {};
        for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) f(i, mine);
        return combine(mine, [](double a, double b) { return a + b; });
    }
    template <class F>
    __device__ double largest(int n, const F& f) const {
        Sums<1> mine = {};
        for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
            mine.value[0] = fmax(mine.value[0], f(i));
        }
        return combine(mine, [](double a, double b) { return fmax(a, b); }).value[0];
    }

    static constexpr int lanes = 32;
    static constexpr int max_warps = 8;
    static constexpr int max_sums = 4;

private:
    __device__ int warp() const { return static_cast<int>(threadIdx.x) / lanes; }
    __device__ int lane() const { return static_cast<int>(threadIdx.x) % lanes; }
    __device__ int warps() const { return static_cast<int>(blockDim.x) / lanes; }

    /// All threads get the same bits: the two lanes of a shuffle combine the same two numbers.
    template <int Count, class Combine>
    __device__ Sums<Count> combine(Sums<Count> mine, const Combine& both) const {
        static_assert(Count <= max_sums);
        for (int c = 0; c < Count; ++c) {
            for (int distance = lanes / 2; distance > 0; distance /= 2) {
                mine.value[c] = both(mine.value[c], __shfl_xor_sync(0xffffffffu, mine.value[c], distance));
            }
        }
        __syncthreads();  // all threads have read the partial results of the last call
        if (lane() == 0) {
            for (int c = 0; c < Count; ++c) partial_[warp() * max_sums + c] = mine.value[c];
        }
        __syncthreads();
        for (int c = 0; c < Count; ++c) {
            mine.value[c] = partial_[c];
            for (int w = 1; w < warps(); ++w) mine.value[c] = both(mine.value[c], partial_[w * max_sums + c]);
        }
        return mine;
    }

    double* memory_;
    double* partial_;
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, num_blocks<Kernel>())
    team_kernel(const __grid_constant__ Kernel kernel) {
    static_assert(Kernel::threads % Team::lanes == 0 && Kernel::threads <= Team::lanes * Team::max_warps);
    extern __shared__ __align__(16) double team_memory[];
    __shared__ double partial[Team::max_warps * Team::max_sums];
    kernel(Team(team_memory, partial));
}

}  // namespace rigcast::cuda
