#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace rigcast::cuda {

struct DeviceInfo {
    std::string name;
    int major;  // compute capability
    int minor;
    std::int64_t memory;  // bytes
};

struct DeviceStatus {
    bool works;
    std::string reason;  // if it does not: a phrase such as "no NVIDIA driver"
    std::vector<DeviceInfo> devices;
};

/// Finds out if kernels of this build can run here. CUDA errors are a reason, not an exception.
DeviceStatus device_status();

/// The rate of copies inside the memory of the device, in gigabytes (1e9 bytes) per second, read and written together:
/// the median of `repeats` copies of `bytes`. Throws ArgumentError if one is below 1, CudaError.
double copy_rate(std::int64_t bytes, int repeats);

}  // namespace rigcast::cuda
