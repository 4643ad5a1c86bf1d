#include "bindings/bindings.h"
#include "bindings/convert/model_line.h"
#include "rigwright/body/body_model.h"
#include "rigwright/network/model_storage.h"

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

constexpr const char* stored_text = R"(The same model with another storage of its network weights.

Parameters
----------
storage : str
    ``"16-bit"``: float16 or bfloat16, whichever has the smaller error for a matrix; products are in float32.
    ``"float32"``: as in the file, which always has float32.

Returns
-------
BodyModel
    Its ``storage_error`` is the largest error of a weight. After saving, it loads with the same storage.

Raises
------
ValueError
    If the storage is neither of these.
)";

}  // namespace

void bind_body(py::module_& module) {
    py::class_<BodyModel, rig::Deformer, std::shared_ptr<BodyModel>>(
        module, "BodyModel", "The learned body: vertex sets that follow joints, each with its own network.")
        .def_property_readonly(
            "num_sets", [](const BodyModel& m) { return m.sets().size(); }, "Number of vertex sets.")
        .def_property_readonly(
            "storage", [](const BodyModel& m) { return network::network_storage(*m.character().tensors); },
            "How network weights are stored in memory: \"float32\" or \"16-bit\".")
        .def_property_readonly("storage_error", &BodyModel::storage_error,
                               "The largest difference of a stored weight from that of the file; 0 for float32.")
        .def_property_readonly("num_bytes", &BodyModel::num_bytes, "Bytes of the constants that an evaluation reads.")
        .def("stored", &BodyModel::stored, py::arg("storage"), py::call_guard<py::gil_scoped_release>(), stored_text)
        .def("__repr__", &body_line);
}

}  // namespace rigwright::bindings
