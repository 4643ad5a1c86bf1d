#include "cuda_bindings.h"
#include "errors.h"

/// The kernels and the code that drives them, run by the host one thread after another (cuda/emulation.h).
PYBIND11_MODULE(_cuda_emulated, module) {
    pybind11::register_local_exception_translator(&rigwright::bindings::translate);
    rigwright::bindings::bind_cuda_body(module);
    rigwright::bindings::bind_cuda_blendshape(module);
    rigwright::bindings::bind_cuda_inverse(module);
    rigwright::bindings::bind_cuda_operations(module);
}
