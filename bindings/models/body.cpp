#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/model_line.h"
#include "bindings/convert/released_gil.h"
#include "rigcast/body/body_model.h"
#include "rigcast/network/model_storage.h"

namespace rigcast::bindings {

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

constexpr const char* stored_text = R"(The same model with another storage of the weights and bases of its networks.

A single pose takes as long as reading them from memory. A tenth of the model's own error is hardly seen beside it.

Parameters
----------
storage : str
    ``"16-bit"``: float16 or bfloat16, whichever has the smaller error for a matrix; products are in float32.
    ``"int8"``: as many matrices as the error allows are int8 with a scale per block, the others as with ``"16-bit"``.
    ``"float32"``: as in the file, which always has float32.
poses : (T, C) array, optional
    For ``"int8"``, and needed there: poses like those to evaluate, 20 to 100 of them.
max_error : float, optional
    For ``"int8"``: on these poses the vertices are on average at most this far from those of the model in float32,
    in the rig's unit. Default: a tenth of the model's mean error on held-out poses, which its file states.

Returns
-------
BodyModel
    Its ``storage_error`` is the largest error of a number. After saving, it loads with the same storage.

Raises
------
ValueError
    If the storage is none of these, poses are missing, given without need or not valid, max_error is negative or
    missing for a model that does not state its error.
)";

std::shared_ptr<BodyModel> stored_body(const BodyModel& model, const std::string& storage, const py::object& poses,
                                       const py::object& max_error) {
    const bool is_int8 = storage == "int8";
    if (!is_int8 && !poses.is_none()) throw bad_argument("stored", "poses", "given", "given for \"int8\" alone");
    if (!is_int8 && !max_error.is_none()) {
        throw bad_argument("stored", "max_error", "given", "given for \"int8\" alone");
    }
    if (!is_int8 || poses.is_none()) {
        const ReleasedGil released;
        return model.stored(storage);
    }
    const bool is_known = model.character().tensors->contains("error.mean");
    if (max_error.is_none() && !is_known) {
        throw bad_argument("stored", "max_error", "missing", "a distance: the model does not state its error");
    }
    const double bound = max_error.is_none() ? 0.1 * model.own_error() : max_error.cast<double>();
    const Array<float> input = as_array<float, 2>("stored", "poses", poses, "an array of numbers (T, C)");
    const View<const float, 2> in = view<float, 2>(input);
    model.check_poses("stored", in);
    const ReleasedGil released;
    return model.stored_int8(in, bound);
}

}  // namespace

void bind_body(py::module_& module) {
    py::class_<BodyModel, rig::Deformer, std::shared_ptr<BodyModel>>(
        module, "BodyModel", "The learned body: vertex sets that follow joints, each with its own network.")
        .def_property_readonly(
            "num_sets", [](const BodyModel& m) { return m.sets().size(); }, "Number of vertex sets.")
        .def_property_readonly(
            "storage", [](const BodyModel& m) { return network::network_storage(*m.character().tensors); },
            "How matrices are stored in memory: \"float32\", \"16-bit\" or \"int8\".")
        .def_property_readonly("storage_error", &BodyModel::storage_error,
                               "The largest difference of a stored number from that of the file; 0 for float32.")
        .def_property_readonly("num_bytes", &BodyModel::num_bytes, "Bytes of the constants that an evaluation reads.")
        .def("stored", &stored_body, py::arg("storage"), py::arg("poses") = py::none(),
             py::arg("max_error") = py::none(), stored_text)
        .def("__repr__", &body_line);
}

}  // namespace rigcast::bindings
