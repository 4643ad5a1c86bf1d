#include <algorithm>
#include <cstdint>

#include "rigcast/cuda/machine/device.h"
#include "rigcast/cuda/machine/machine.h"

namespace rigcast::cuda {
namespace {

std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// The reason why devices cannot be queried, or "". Without a driver the version is 0.
std::string driver_fault() {
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "no NVIDIA driver";
    // Within one major version an older driver runs newer machine code.
    if (driver / 1000 < runtime / 1000) {
        return "the NVIDIA driver is too old: it supports CUDA " + version(driver) + ", this build needs " +
               version(runtime);
    }
    return "";
}

}  // namespace

DeviceStatus device_status() {
    std::string reason = driver_fault();
    if (!reason.empty()) return {false, reason, {}};
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) return {false, "no CUDA device", {}};
    if (status != cudaSuccess) return {false, cudaGetErrorString(status), {}};
    std::vector<DeviceInfo> devices;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
        devices.push_back({properties.name, properties.major, properties.minor,
                           static_cast<std::int64_t>(properties.totalGlobalMem)});
    }
    if (devices.empty()) return {false, "no CUDA device whose properties can be read", {}};
    reason = architecture_fault(devices.front(), RIGCAST_CUDA_OLDEST);
    return {reason.empty(), reason, devices};
}

double copy_rate(std::int64_t bytes, int repeats) {
    if (bytes < 1 || repeats < 1) {
        throw bad_argument("copy_rate", "bytes and repeats", std::to_string(bytes) + " and " + std::to_string(repeats),
                           "at least 1");
    }
    const DeviceScope scope;
    Machine machine;
    Buffer<std::uint8_t> from;
    Buffer<std::uint8_t> to;
    from.reserve(bytes);
    to.reserve(bytes);
    std::vector<double> times;
    constexpr int warm_up = 3;  // copies
    for (int i = 0; i < repeats + warm_up; ++i) {
        const double time = machine.milliseconds([&] { machine.copy(from.data(), bytes, to.data()); });
        if (i >= warm_up) times.push_back(time);
    }
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return 2.0 * bytes / (times[repeats / 2] * 1e6);
}

}  // namespace rigcast::cuda
