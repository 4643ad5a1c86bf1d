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

/// The reason why a device cannot run machine code for compute capabilities from `oldest` on (ten times the number), or
/// "".
inline std::string architecture_fault(const DeviceInfo& device, int oldest) {
    if (10 * device.major + device.minor >= oldest) return "";
    return device.name + " has compute capability " + std::to_string(device.major) + "." +
           std::to_string(device.minor) + ", this build needs " + std::to_string(oldest / 10) + "." +
           std::to_string(oldest % 10);
}

/// Finds out if kernels of this build can run here. CUDA errors are a reason, not an exception.
DeviceStatus device_status();

/// The rate of copies inside the memory of the device, in gigabytes (1e9 bytes) per second, read and written together:
/// the median of `repeats` copies of `bytes`. Throws ArgumentError if one is below 1, CudaError.
double copy_rate(std::int64_t bytes, int repeats);

}  // namespace rigcast::cuda
