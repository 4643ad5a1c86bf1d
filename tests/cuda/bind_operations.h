#pragma once
#include <pybind11/pybind11.h>

namespace rigcast::bindings {

/// Every kernel by itself, as a function of arrays: for tests, indices are not checked.
void bind_cuda_operations(pybind11::module_& module);
/// Products in other shapes of blocks than those in use.
void bind_cuda_tiles(pybind11::module_& module);

}  // namespace rigcast::bindings
