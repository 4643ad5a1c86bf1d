#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/cuda/machine/block.h"

/// The Machine of NVIDIA GPUs; the tests marked `gpu` passed on an H100. Not run on a device: the matrix units, sums in
/// pieces (AddPieces), the wait for a foreign stream, and arrays of PyTorch, CuPy or JAX.
namespace rigcast::cuda {

/// Throws CudaError with CUDA's own text if a call failed.
inline void check(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    throw CudaError(std::string("CUDA failed while ") + doing + ": " + cudaGetErrorString(status) + " (" +
                    cudaGetErrorName(status) + ")");
}

/// Makes the first device current in this thread during its lifetime. All code below needs one: another library may
/// have made another device current.
class DeviceScope {
public:
    DeviceScope() {
        check(cudaGetDevice(&previous_), "querying the device");
        check(cudaSetDevice(0), "choosing the device");
    }
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;
    ~DeviceScope() {
        if (previous_ != 0) cudaSetDevice(previous_);
    }

private:
    int previous_ = 0;
};

/// The number that 16 bits stand for, exactly.
RIGCAST_DEVICE inline float widened_float16(std::uint16_t bits) {
    return __half2float(__half(__half_raw{bits}));
}
RIGCAST_DEVICE inline float widened_bfloat16(std::uint16_t bits) {
    return __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{bits}));
}

/// Device memory. It grows to the largest request and is then kept.
template <class T>
class Buffer {
public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data_); }  // an error here, when the process ends, has no consequence

    void reserve(std::int64_t count) {
        if (count <= capacity_) return;
        check(cudaFree(std::exchange(data_, nullptr)), "freeing memory");
        capacity_ = 0;
        const std::string doing = "allocating " + std::to_string(count * sizeof(T)) + " bytes of the device's memory";
        check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), doing.c_str());
        capacity_ = count;
    }
    T* data() const { return data_; }

private:
    T* data_ = nullptr;
    std::int64_t capacity_ = 0;
};

/// Host memory that is locked in place, so that copies from and to it run beside kernels. It grows as Buffer does.
template <class T>
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;
    ~PinnedBuffer() { cudaFreeHost(data_); }

    void reserve(std::int64_t count) {
        if (count <= capacity_) return;
        check(cudaFreeHost(std::exchange(data_, nullptr)), "freeing locked memory");
        capacity_ = 0;
        check(cudaMallocHost(reinterpret_cast<void**>(&data_), count * sizeof(T)), "locking memory");
        capacity_ = count;
    }
    T* data() const { return data_; }

private:
    T* data_ = nullptr;
    std::int64_t capacity_ = 0;
};

/// Launches that were recorded once (Machine::record) and are started together, which takes less time than one by one.
class Graph {
public:
    explicit Graph(cudaGraphExec_t launches) : launches_(launches) {}
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() { cudaGraphExecDestroy(launches_); }

    cudaGraphExec_t launches() const { return launches_; }

private:
    cudaGraphExec_t launches_;
};

/// The largest number of rows of a grid (CUDA). If there are more, each block computes several, one after another.
constexpr std::int64_t max_grid_rows = 65535;

template <class F>
__global__ void __launch_bounds__(256) element_kernel(std::int64_t rows, std::int64_t columns, const F f) {
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
    tile_kernel(std::int64_t rows, const Kernel kernel) {
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
__global__ void __launch_bounds__(Kernel::threads, num_blocks<Kernel>()) team_kernel(const Kernel kernel) {
    static_assert(Kernel::threads % Team::lanes == 0 && Kernel::threads <= Team::lanes * Team::max_warps);
    extern __shared__ __align__(16) double team_memory[];
    __shared__ double partial[Team::max_warps * Team::max_sums];
    kernel(Team(team_memory, partial));
}

/// A stream on the first device. Work is queued in order; `synchronize` waits for it and throws CudaError if it failed.
class Machine {
public:
    Machine() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream"); }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine() { cudaStreamDestroy(stream_); }

    template <class T>
    void upload(const T* source, std::int64_t count, Buffer<T>& target) {
        target.reserve(count);
        if (count == 0) return;
        check(cudaMemcpyAsync(target.data(), source, count * sizeof(T), cudaMemcpyHostToDevice, stream_),
              "copying to the device");
        uploaded_bytes_ += static_cast<std::int64_t>(count * sizeof(T));
    }
    template <class T>
    void upload(const std::vector<T>& source, Buffer<T>& target) {
        upload(source.data(), static_cast<std::int64_t>(source.size()), target);
    }
    template <class T>
    void download(const Buffer<T>& source, std::int64_t count, T* target) {
        if (count == 0) return;
        check(cudaMemcpyAsync(target, source.data(), count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
              "copying from the device");
    }
    template <class T>
    void copy(const T* source, std::int64_t count, T* target) {
        check(cudaMemcpyAsync(target, source, count * sizeof(T), cudaMemcpyDeviceToDevice, stream_),
              "copying on the device");
    }

    /// Records the kernels that `queue` launches, without running them. Memory that they use must stay in place, and
    /// `queue` must not copy, allocate or wait.
    template <class F>
    std::unique_ptr<Graph> record(const F& queue) {
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "recording launches");
        cudaGraph_t graph = nullptr;
        try {
            queue();
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            cudaGraphDestroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream_, &graph), "recording launches");
        cudaGraphExec_t launches = nullptr;
        const cudaError_t status = cudaGraphInstantiate(&launches, graph, 0);
        cudaGraphDestroy(graph);
        check(status, "preparing recorded launches");
        return std::make_unique<Graph>(launches);
    }
    void run(const Graph& graph) { check(cudaGraphLaunch(graph.launches(), stream_), "starting recorded launches"); }
    /// Bytes that were uploaded so far.
    std::int64_t uploaded_bytes() const { return uploaded_bytes_; }
    /// For libraries that queue work of their own.
    cudaStream_t stream() const { return stream_; }
    void synchronize() { check(cudaStreamSynchronize(stream_), "waiting for the device"); }

    /// Calls f(row, column) for all rows and columns.
    template <class F>
    void for_each(std::int64_t rows, std::int64_t columns, const F& f) {
        if (rows == 0 || columns == 0) return;
        constexpr int threads = 256;
        element_kernel<<<grid(rows, (columns + threads - 1) / threads), threads, 0, stream_>>>(rows, columns, f);
        check(cudaGetLastError(), "starting a kernel");
    }

    /// Runs a tile kernel (block.h) on rows x columns blocks.
    template <class Kernel>
    void run_tiles(std::int64_t rows, std::int64_t columns, const Kernel& kernel) {
        if (rows == 0 || columns == 0) return;
        constexpr std::int64_t bytes = 2 * sizeof(typename Kernel::Shared);
        allow_shared(tile_kernel<Kernel>, bytes);
        tile_kernel<<<grid(rows, columns), Kernel::threads, bytes, stream_>>>(rows, kernel);
        check(cudaGetLastError(), "starting a kernel");
    }

    /// Doubles that a block of a team kernel may share by default: 48 KB, less 2 KB for partial sums and static memory.
    /// A kernel may be launched with up to 96 KB, which all devices of this build have when asked.
    static constexpr std::int64_t most_shared = 5888;

    /// The number of blocks of a team kernel with `shared` doubles each that a multiprocessor runs at the same time.
    template <class Kernel>
    int teams_per_processor(std::int64_t shared) {
        const std::int64_t bytes = shared * static_cast<std::int64_t>(sizeof(double));
        int blocks = 0;
        allow_shared(team_kernel<Kernel>, bytes);
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, team_kernel<Kernel>, Kernel::threads, bytes),
              "querying the occupancy");
        return blocks;
    }
    /// The same of the whole device.
    template <class Kernel>
    std::int64_t num_teams(std::int64_t shared) {
        int processors = 0;
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "querying the processors");
        return std::max<std::int64_t>(std::int64_t{teams_per_processor<Kernel>(shared)} * processors, 1);
    }

    /// Runs a team kernel (block.h) on `teams` blocks with `shared` doubles each.
    template <class Kernel>
    void run_teams(std::int64_t teams, std::int64_t shared, const Kernel& kernel) {
        if (teams == 0) return;
        allow_shared(team_kernel<Kernel>, shared * static_cast<std::int64_t>(sizeof(double)));
        team_kernel<<<grid(1, teams), Kernel::threads, shared * sizeof(double), stream_>>>(kernel);
        check(cudaGetLastError(), "starting a kernel");
    }

    static constexpr int dlpack_device_type = 2;  // kDLCUDA

    static bool is_device_memory(const void* pointer) {
        cudaPointerAttributes found;
        const bool known = cudaPointerGetAttributes(&found, pointer) == cudaSuccess;
        cudaGetLastError();  // clears the error, so that later calls do not report it
        return known && found.device == 0 &&
               (found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged);
    }
    static void wait_for_stream(std::uintptr_t stream) {
        check(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)), "waiting for the stream of an array");
    }

    /// The milliseconds between two events around the work that f queues.
    template <class F>
    double milliseconds(const F& f) {
        const Event start;
        const Event stop;
        check(cudaEventRecord(start.event, stream_), "recording an event");
        f();
        check(cudaEventRecord(stop.event, stream_), "recording an event");
        check(cudaEventSynchronize(stop.event), "waiting for an event");
        float elapsed = 0.0f;
        check(cudaEventElapsedTime(&elapsed, start.event, stop.event), "reading an event");
        return elapsed;
    }

private:
    struct Event {
        Event() { check(cudaEventCreate(&event), "creating an event"); }
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        ~Event() { cudaEventDestroy(event); }
        cudaEvent_t event = nullptr;
    };

    /// Blocks have 48 KB of shared memory unless more is asked for.
    template <class Function>
    static void allow_shared(Function* kernel, std::int64_t bytes) {
        if (bytes <= 48 * 1024) return;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
              "asking for shared memory");
    }

    static dim3 grid(std::int64_t rows, std::int64_t columns) {
        if (columns > 0x7fffffff) {
            throw CudaError("CUDA failed while starting a kernel: a row of " + std::to_string(columns) +
                            " blocks is too long");
        }
        return dim3(static_cast<unsigned>(columns), static_cast<unsigned>(std::min(rows, max_grid_rows)));
    }

    cudaStream_t stream_ = nullptr;
    std::int64_t uploaded_bytes_ = 0;
};

}  // namespace rigcast::cuda
