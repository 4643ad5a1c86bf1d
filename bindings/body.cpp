#include "bindings.h"
#include "body/body_model.h"

namespace rigwright::bindings {

namespace py = pybind11;
using body::BodyModel;

void bind_body(py::module_& module) {
    py::class_<BodyModel, rig::Deformer, std::shared_ptr<BodyModel>>(
        module, "BodyModel", "The learned body: vertex sets that follow joints, each with a network of its own.")
        .def_property_readonly(
            "num_sets", [](const BodyModel& m) { return m.sets().size(); }, "Number of vertex sets.");
}

}  // namespace rigwright::bindings
