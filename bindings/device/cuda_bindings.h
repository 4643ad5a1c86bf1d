#pragma once
#include <pybind11/pybind11.h>

namespace rigcast::bindings {

/// Models and solvers on the device: cpp/rigcast/cuda, compiled by nvcc in `_cuda`, or by the host compiler in the
/// emulation that the tests use.
void bind_cuda_resident(pybind11::module_& module);
void bind_cuda_crowd(pybind11::module_& module);
void bind_cuda_inverse(pybind11::module_& module);

}  // namespace rigcast::bindings
