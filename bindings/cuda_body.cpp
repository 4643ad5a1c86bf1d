#include <pybind11/stl.h>

#include "arrays.h"
#include "cuda/body_evaluator.h"
#include "cuda_bindings.h"
#include "models.h"
#include "registry/make_model.h"
#include "rig/deformer.h"

namespace rigwright::bindings {
namespace {

using cuda::BodyEvaluator;

/// Reads and checks the model as loading it does, so that the device sees no index out of range.
std::unique_ptr<BodyEvaluator> make_evaluator(const py::dict& tensors, const std::string& metadata,
                                              std::int64_t workspace) {
    auto file = std::make_shared<const TensorFile>(from_arrays(tensors, metadata));
    const py::gil_scoped_release released;
    const auto model = make_model(std::move(file));
    const rig::Character& character = model->character();
    if (character.kind != "body") {
        throw bad_argument("BodyEvaluator", "tensors", "a model of kind '" + character.kind + "'",
                           "one of kind 'body'");
    }
    return std::make_unique<BodyEvaluator>(cuda::BodyPlan(character), workspace);
}

void evaluate(BodyEvaluator& evaluator, const Array<float>& poses, py::array_t<float, py::array::c_style> out) {
    if (poses.ndim() != 2) throw bad_argument("evaluate", "poses", describe(poses), "an array (T, C)");
    if (out.ndim() != 3) throw bad_argument("evaluate", "out", describe(out), "an array (T, V, 3)");
    const auto in = view<float, 2>(poses);
    const View<float, 3> result(out.mutable_data(), {out.shape(0), out.shape(1), out.shape(2)});
    const py::gil_scoped_release released;
    evaluator.evaluate(in, result);
}

std::vector<double> milliseconds(BodyEvaluator& evaluator, const Array<float>& poses, std::int64_t batch, int repeats) {
    if (poses.ndim() != 2) throw bad_argument("milliseconds", "poses", describe(poses), "an array (T, C)");
    const auto in = view<float, 2>(poses);
    const py::gil_scoped_release released;
    return evaluator.milliseconds(in, batch, repeats);
}

}  // namespace

void bind_cuda_body(py::module_& module) {
    py::class_<BodyEvaluator>(module, "BodyEvaluator", py::module_local(),
                              "A model of kind \"body\" whose weights stay on the device.")
        .def(py::init(&make_evaluator), py::arg("tensors"), py::arg("metadata"),
             py::arg("workspace") = BodyEvaluator::default_workspace,
             "Copy a model to the device; workspace: bytes that a chunk of poses may take.")
        .def("evaluate", &evaluate, py::arg("poses"), py::arg("out").noconvert(),
             "Write the vertices (T, V, 3) of poses (T, C).")
        .def("milliseconds", &milliseconds, py::arg("poses"), py::arg("batch"), py::arg("repeats"),
             "Device time of each of `repeats` evaluations of `batch` poses, without the copies.");
}

}  // namespace rigwright::bindings
