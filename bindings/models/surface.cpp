#include "bindings/models/surface.h"

#include <pybind11/stl.h>

#include "bindings/convert/arrays.h"
#include "rigcast/rig/surface.h"

namespace rigcast::bindings {
namespace {

using rig::Deformer;

rig::Surface surface_of(const Deformer& model) {
    const rig::Character& character = model.character();
    return rig::read_surface(*character.tensors, character.num_vertices(), character.faces);
}

}  // namespace

void add_surface(py::class_<Deformer, std::shared_ptr<Deformer>>& model) {
    model
        .def_property_readonly(
            "parts", [](const Deformer& m) { return surface_of(m).parts; }, "Names of the parts; may be empty.")
        .def_property_readonly(
            "vertex_parts", [](const Deformer& m) { return copy(surface_of(m).vertex_parts); },
            "(V,) int32: the part that each vertex belongs to, -1 for none; (0,) without parts")
        .def_property_readonly(
            "materials", [](const Deformer& m) { return surface_of(m).materials; },
            "Names of the materials; may be empty.")
        .def_property_readonly(
            "face_materials", [](const Deformer& m) { return copy(surface_of(m).face_materials); },
            "(F,) int32: the material of each face, -1 for none; (0,) without materials")
        .def_property_readonly(
            "uvs", [](const Deformer& m) { return copy(surface_of(m).uvs); },
            "(U, 2) float32 texture coordinates, in any tile")
        .def_property_readonly(
            "uv_faces", [](const Deformer& m) { return copy(surface_of(m).uv_faces); },
            "(F, 4) int32: the row of uvs at each corner of each face; -1 pads triangles, and stands at all corners "
            "of\n"
            "a face without texture coordinates; (0, 4) without any");
}

}  // namespace rigcast::bindings
