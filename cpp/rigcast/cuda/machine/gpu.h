#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/gpu_kernels.h"
#include "rigcast/cuda/machine/gpu_memory.h"

/// The Machine of NVIDIA GPUs; the tests marked `gpu` passed on an H100. Not run on a device: the matrix units, sums in
/// pieces (AddPieces), the wait for a foreign stream, and arrays of PyTorch, CuPy or JAX.
namespace rigcast::cuda {

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
            if (graph != nullptr) cudaGraphDestroy(graph);
            cudaGetLastError();  // later calls do not report errors of the recording
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
        allow_shared(tile_kernel<Kernel>);
        tile_kernel<<<grid(rows, columns), Kernel::threads, bytes, stream_>>>(rows, kernel);
        check(cudaGetLastError(), "starting a kernel");
    }

    /// Doubles that a block of a team kernel may share by default: 48 KB, less 2 KB for partial sums and static memory.
    /// A kernel may be launched with up to 98 KB, which all devices of this build have when asked.
    static constexpr std::int64_t most_shared = 5888;

    /// The number of blocks of a team kernel with `shared` doubles each that a multiprocessor runs at the same time.
    template <class Kernel>
    int teams_per_processor(std::int64_t shared) {
        const std::int64_t bytes = shared * static_cast<std::int64_t>(sizeof(double));
        int blocks = 0;
        allow_shared(team_kernel<Kernel>);
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
        allow_shared(team_kernel<Kernel>);
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

    /// Allows a kernel all the shared memory that a block can have; without asking it is 48 KB. Once per kernel, since
    /// the limit is the process's: threads that asked for what they need would lower each other's.
    template <class Function>
    static void allow_shared(Function* kernel) {
        static const bool is_allowed = [&] {
            int most = 0;
            cudaFuncAttributes attributes;
            check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "querying shared memory");
            check(cudaFuncGetAttributes(&attributes, kernel), "querying a kernel");
            most -= static_cast<int>(attributes.sharedSizeBytes);
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                  "asking for shared memory");
            return true;
        }();
        static_cast<void>(is_allowed);
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
