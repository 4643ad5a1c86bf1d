#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace rigwright::cuda {

struct DeviceInfo {
    std::string name;
    int major, minor;     // compute capability
    std::int64_t memory;  // bytes
};

struct DeviceStatus {
    bool works;
    std::string reason;  // why not, as a phrase: "no NVIDIA driver"
    std::vector<DeviceInfo> devices;
};

/// Whether kernels of this build can run here. Never throws for what CUDA reports.
DeviceStatus device_status();

/// Gigabytes (1e9) a second, read and written together, that the device copies from its memory to its memory:
/// the median of `repeats` copies of `bytes`. Throws CudaError.
double copy_rate(std::int64_t bytes, int repeats);

}  // namespace rigwright::cuda
