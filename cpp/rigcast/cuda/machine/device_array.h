#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace rigcast::cuda {

/// A contiguous float32 array in device memory. It is complete: no kernel still writes it. Copies share the memory.
struct DeviceArray {
    std::shared_ptr<float> data;
    std::vector<std::int64_t> shape;
};

/// A contiguous float32 matrix in device memory that the caller owns.
struct DeviceMatrix {
    const float* data;
    std::int64_t rows;
    std::int64_t columns;
};

/// DLPack's device type of the arrays: 2 (CUDA); 1 (CPU) in the emulation. The device is always the first.
int dlpack_device_type();
/// Returns true if a pointer is memory of the first device (in the emulation: if it is not null).
bool is_device_memory(const void* pointer);
/// Waits until the work queued in a stream is done. `stream` is a cudaStream_t as a number; 1 and 2 are the default
/// streams. Throws CudaError.
void wait_for_stream(std::uintptr_t stream);

}  // namespace rigcast::cuda
