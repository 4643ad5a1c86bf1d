#pragma once
#include <pybind11/pybind11.h>

namespace rigwright::bindings {

/// Adds LatentSpace and what fits it to the module.
void bind_latent_space(pybind11::module_& module);

}  // namespace rigwright::bindings
