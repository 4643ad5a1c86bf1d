#include "bind_operations.h"
#include "bindings/convert/errors.h"
#include "bindings/convert/unmade.h"
#include "bindings/device/cuda_bindings.h"
#include "rigcast/cuda/machine/machine.h"

/// The kernels and the code that drives them, run by the host one thread after another (cuda/machine/emulation.h).
PYBIND11_MODULE(_cuda_emulated, module) {
    pybind11::register_local_exception_translator(&rigcast::bindings::translate);
    rigcast::bindings::bind_cuda_resident(module);
    rigcast::bindings::bind_cuda_crowd(module);
    rigcast::bindings::bind_cuda_inverse(module);
    rigcast::bindings::bind_cuda_operations(module);
    rigcast::bindings::bind_cuda_tiles(module);
    module.def(
        "bytes_to_host", [] { return rigcast::cuda::bytes_to_host.load(); }, "Copied to the host so far.");
    module.def(
        "bytes_to_device", [] { return rigcast::cuda::bytes_to_device.load(); }, "Copied to the device so far.");
    rigcast::bindings::refuse_unmade(module);
}
