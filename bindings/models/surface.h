#pragma once
#include <pybind11/pybind11.h>

#include <memory>

#include "rigcast/rig/deformer.h"

namespace rigcast::bindings {

/// Adds `parts`, `vertex_parts`, `materials`, `face_materials`, `uvs` and `uv_faces` to the class of models.
void add_surface(pybind11::class_<rig::Deformer, std::shared_ptr<rig::Deformer>>& model);

}  // namespace rigcast::bindings
