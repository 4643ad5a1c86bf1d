#include <pybind11/stl.h>

#include "arrays.h"
#include "cuda/blendshape_evaluator.h"
#include "cuda_bindings.h"
#include "models.h"
#include "registry/make_model.h"

namespace rigwright::bindings {
namespace {

using cuda::BlendshapeEvaluator;
using rig::BlendshapeRig;

/// Reads and checks the model as loading it does, so that the device sees no index out of range.
std::unique_ptr<BlendshapeEvaluator> make_evaluator(const py::dict& tensors, const std::string& metadata, bool dense,
                                                    std::int64_t workspace) {
    auto file = std::make_shared<const TensorFile>(from_arrays(tensors, metadata));
    const py::gil_scoped_release released;
    const auto model = std::dynamic_pointer_cast<BlendshapeRig>(make_model(std::move(file)));
    if (!model) throw bad_argument("BlendshapeEvaluator", "tensors", "another model", "one of kind 'blendshape'");
    const cuda::Columns which = dense ? cuda::Columns::all : cuda::Columns::moving;
    return std::make_unique<BlendshapeEvaluator>(cuda::BlendshapePlan(*model, which), workspace);
}

void evaluate(BlendshapeEvaluator& evaluator, const Array<float>& weights, py::array_t<float, py::array::c_style> out,
              const py::object& order, const py::object& lengths) {
    if (weights.ndim() != 2) throw bad_argument("evaluate", "weights", describe(weights), "an array (T, K)");
    if (out.ndim() != 3) throw bad_argument("evaluate", "out", describe(out), "an array (T, V, 3)");
    const auto in = view<float, 2>(weights);
    const View<float, 3> result(out.mutable_data(), {out.shape(0), out.shape(1), out.shape(2)});
    if (order.is_none() != lengths.is_none()) {
        throw bad_argument("evaluate", "order", order.is_none() ? "missing" : "without lengths", "given with lengths");
    }
    if (order.is_none()) {
        const py::gil_scoped_release released;
        return evaluator.evaluate(in, result);
    }
    const auto shapes = as_indices("evaluate", "order", order), prefix = as_indices("evaluate", "prefix", lengths);
    const py::gil_scoped_release released;
    evaluator.evaluate(in, {view<std::int32_t, 1>(shapes), view<std::int32_t, 1>(prefix)}, result);
}

std::vector<double> milliseconds(BlendshapeEvaluator& evaluator, const Array<float>& weights, std::int64_t batch,
                                 int repeats) {
    if (weights.ndim() != 2) throw bad_argument("milliseconds", "weights", describe(weights), "an array (T, K)");
    const auto in = view<float, 2>(weights);
    const py::gil_scoped_release released;
    return evaluator.milliseconds(in, batch, repeats);
}

}  // namespace

void bind_cuda_blendshape(py::module_& module) {
    py::class_<BlendshapeEvaluator>(module, "BlendshapeEvaluator", py::module_local(),
                                    "A model of kind \"blendshape\" whose offsets stay on the device.")
        .def(py::init(&make_evaluator), py::arg("tensors"), py::arg("metadata"), py::arg("dense") = false,
             py::arg("workspace") = BlendshapeEvaluator::default_workspace,
             "Copy a rig to the device. dense: all offsets, zeros too, as one matrix; workspace: bytes that a chunk\n"
             "of heads may take.")
        .def("evaluate", &evaluate, py::arg("weights"), py::arg("out").noconvert(), py::arg("order") = py::none(),
             py::arg("lengths") = py::none(),
             "Write the vertices (T, V, 3) of weights (T, K); order (K,) and lengths (T,): of a prefix a head.")
        .def("milliseconds", &milliseconds, py::arg("weights"), py::arg("batch"), py::arg("repeats"),
             "Device time of each of `repeats` evaluations of `batch` heads, without the copies.");
}

}  // namespace rigwright::bindings
