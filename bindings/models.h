#pragma once
#include <pybind11/pybind11.h>

#include <string>

#include "core/tensor_file.h"

namespace rigwright::bindings {

/// Tensors from a dict of NumPy arrays.
TensorFile from_arrays(const pybind11::dict& tensors, const std::string& metadata);

}  // namespace rigwright::bindings
