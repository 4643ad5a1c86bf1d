#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "core/tensor_file.h"
#include "rig/deformer.h"

namespace rigwright::bindings {

/// Tensors from a dict of NumPy arrays.
TensorFile from_arrays(const pybind11::dict& tensors, const std::string& metadata);

/// The model that a file describes, by its kind. Throws ArgumentError on an unknown kind.
std::shared_ptr<rig::Deformer> make_model(std::shared_ptr<const TensorFile> tensors);

}  // namespace rigwright::bindings
