#include "bindings.h"
#include "body/body_model.h"
#include "model_line.h"

namespace rigwright::bindings {

namespace py = pybind11;
using body::BodyModel;

namespace {

std::string body_line(const py::object& self) {
    const auto& model = self.cast<const BodyModel&>();
    const rig::Character& character = model.character();
    const std::int64_t joints = character.skeleton.num_joints();
    return model_line(self, {counted(joints, "joint", "joints"),
                             counted(character.num_controls() - 12 * joints, "numeric control", "numeric controls"),
                             counted(character.num_vertices(), "vertex", "vertices"),
                             counted(static_cast<std::int64_t>(model.sets().size()), "vertex set", "vertex sets")});
}

}  // namespace

void bind_body(py::module_& module) {
    py::class_<BodyModel, rig::Deformer, std::shared_ptr<BodyModel>>(
        module, "BodyModel", "The learned body: vertex sets that follow joints, each with a network of its own.")
        .def_property_readonly(
            "num_sets", [](const BodyModel& m) { return m.sets().size(); }, "Number of vertex sets.")
        .def("__repr__", &body_line);
}

}  // namespace rigwright::bindings
