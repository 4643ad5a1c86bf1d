#pragma once
#include <pybind11/pybind11.h>

#include <string>

#include "rigcast/core/files/tensor_file.h"

namespace rigcast::bindings {

/// Makes a TensorFile from a dict of float32 and int32 arrays and a metadata text. Throws ArgumentError, which names
/// `function`.
TensorFile from_arrays(const pybind11::dict& tensors, const std::string& metadata,
                       const std::string& function = "model_from_tensors");

/// Copies of all tensors, by name.
pybind11::dict to_arrays(const TensorFile& file);

}  // namespace rigcast::bindings
