#pragma once
#include <pybind11/pybind11.h>

#include <string>

#include "rigwright/core/tensor_file.h"

namespace rigwright::bindings {

/// Tensors from a dict of NumPy arrays and the text of their metadata. Throws ArgumentError, which names `function`.
TensorFile from_arrays(const pybind11::dict& tensors, const std::string& metadata,
                       const std::string& function = "model_from_tensors");

/// The tensors by name, copied.
pybind11::dict to_arrays(const TensorFile& file);

}  // namespace rigwright::bindings
