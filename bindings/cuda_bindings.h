#pragma once
#include <pybind11/pybind11.h>

namespace rigwright::bindings {

/// Models on the device and, for the tests, every kernel by itself: from cpp/cuda built by nvcc in `_cuda`, or by
/// the host compiler in the tests' emulation.
void bind_cuda_resident(pybind11::module_& module);
void bind_cuda_inverse(pybind11::module_& module);
void bind_cuda_operations(pybind11::module_& module);

}  // namespace rigwright::bindings
