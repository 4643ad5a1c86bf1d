#pragma once
#include <pybind11/pybind11.h>

namespace rigcast::bindings {

/// Each adds one part of animation synthesis to the module.
void bind_latent_space(pybind11::module_& module);
void bind_latent_fit(pybind11::module_& module);
void bind_synthesis_playing(pybind11::module_& module);
void bind_synthesis_players(pybind11::module_& module);
void bind_synthesis_paths(pybind11::module_& module);

}  // namespace rigcast::bindings
