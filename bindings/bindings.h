#pragma once
#include <pybind11/pybind11.h>

/// One function per C++ directory, each in its own file: adds the bindings of that directory to a module.
namespace rigcast::bindings {

void bind_core(pybind11::module_& module);
void bind_linalg(pybind11::module_& module);
void bind_mesh(pybind11::module_& module);
void bind_display(pybind11::module_& module);
void bind_optimize(pybind11::module_& module);
void bind_channels(pybind11::module_& module);
void bind_rig(pybind11::module_& module);
void bind_skinning(pybind11::module_& module);
void bind_derivatives(pybind11::module_& module);
void bind_blendshape(pybind11::module_& module);
void bind_capture(pybind11::module_& module);
void bind_face_network(pybind11::module_& module);
void bind_body(pybind11::module_& module);
void bind_baseline(pybind11::module_& module);
void bind_differential(pybind11::module_& module);
void bind_metrics(pybind11::module_& module);
void bind_refinement(pybind11::module_& module);
void bind_render(pybind11::module_& module);
void bind_transfer(pybind11::module_& module);
void bind_inverse(pybind11::module_& module);
/// Called by bind_inverse, between the classes that it takes and the functions that take it.
void bind_inverse_problem(pybind11::module_& module);
void bind_majorize_minimize(pybind11::module_& module);
void bind_ik_goals(pybind11::module_& module);
void bind_crowd(pybind11::module_& module);
void bind_face(pybind11::module_& module);
void bind_face_maps(pybind11::module_& module);
void bind_limbs(pybind11::module_& module);
void bind_models(pybind11::module_& module);
void bind_packing(pybind11::module_& module);

}  // namespace rigcast::bindings
