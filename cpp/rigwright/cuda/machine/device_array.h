#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace rigwright::cuda {

/// A contiguous float32 array in device memory, complete: no kernel still writes it. Copies share the memory.
struct DeviceArray {
    std::shared_ptr<float> data;
    std::vector<std::int64_t> shape;
};

/// A contiguous float32 matrix that somebody else keeps in device memory.
struct DeviceMatrix {
    const float* data;
    std::int64_t rows, columns;
};

/// DLPack's number for the kind of memory: 2 (CUDA), in the emulation 1 (CPU). The device is always the first.
int dlpack_device_type();
/// Whether a pointer is device memory of the first device (in the emulation: not null).
bool is_device_memory(const void* pointer);
/// Waits until the work queued in a stream is done: a cudaStream_t as a number, or 1 and 2 for the default ones. Throws
/// CudaError.
void wait_for_stream(std::uintptr_t stream);

}  // namespace rigwright::cuda
