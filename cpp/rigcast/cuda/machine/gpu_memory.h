#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/core/portable.h"

/// What gpu.h owns on an NVIDIA GPU: memory and recorded launches.
namespace rigcast::cuda {

/// Throws CudaError with CUDA's own text if a call failed. Later calls do not report the error again.
inline void check(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
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

}  // namespace rigcast::cuda
