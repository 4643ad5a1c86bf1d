#pragma once
#include <pybind11/pybind11.h>

namespace rigcast::bindings {

/// Adds learned inverse kinematics.
void bind_face_ik(pybind11::module_& module);

}  // namespace rigcast::bindings
