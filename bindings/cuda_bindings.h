#pragma once
#include <pybind11/pybind11.h>

namespace rigwright::bindings {

/// Models on the device: from cpp/rigwright/cuda built by nvcc in `_cuda`, or by the host compiler in the emulation
/// that the tests use.
void bind_cuda_resident(pybind11::module_& module);
void bind_cuda_inverse(pybind11::module_& module);

}  // namespace rigwright::bindings
