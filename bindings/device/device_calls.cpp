#include "bindings/device/device_calls.h"

#include <pybind11/stl.h>

#include "bindings/convert/poses.h"

namespace rigcast::bindings {

py::object device_models(const char* function) {
    return py::module_::import("rigcast._device_models").attr(function);
}

bool is_on_device(const py::object& poses) {
    if (py::isinstance<py::array>(poses)) return false;
    if (py::hasattr(poses, "__cuda_array_interface__")) return true;
    constexpr int cpu = 1;  // kDLCPU of DLPack
    if (!py::hasattr(poses, "__dlpack_device__")) return false;
    return py::int_(poses.attr("__dlpack_device__")().cast<py::tuple>()[0]).cast<int>() != cpu;
}

void evaluate_on(const py::object& model, const std::string& device, const py::object& poses, View<float, 3> result,
                 const Array<float>& output, const ChoiceObjects& choices) {
    const py::array vertices(py::dtype::of<float>(), {result.extent(0), result.extent(1), result.extent(2)},
                             result.data(), output);
    device_models("evaluate")(model, device, poses, vertices, choices.order, choices.lengths, choices.detail);
}

Array<float> evaluate_from_device(const py::object& model, const std::string& device, const py::object& poses,
                                  const OutputArray& out, const ChoiceObjects& choices) {
    const auto shape = poses.attr("shape").cast<std::vector<py::ssize_t>>();
    if (shape.size() != 1 && shape.size() != 2) {
        throw bad_argument(choices.function(), "poses", "on the device, with " + std::to_string(shape.size()) + " axes",
                           pose_shape);
    }
    const bool single = shape.size() == 1;
    const py::ssize_t frames = single ? 1 : shape[0];
    const auto& deformer = model.cast<const rig::Deformer&>();
    Array<float> output = output_array(deformer, frames, single, out);
    const View<float, 3> result(output.mutable_data(), {frames, deformer.character().num_vertices(), 3});
    evaluate_on(model, device, poses, result, output, choices);
    return output;
}

py::object evaluate_to_device(const py::object& model, const std::string& device, const py::object& poses,
                              const OutputArray& out, const ChoiceObjects& choices) {
    if (device == "cpu") throw bad_argument(choices.function(), "output", "'device'", "'host' if device is 'cpu'");
    if (!out.is_none()) throw bad_argument(choices.function(), "out", "given", "None if output is 'device'");
    return device_models("evaluate_on_device")(model, device, poses, choices.order, choices.lengths, choices.detail);
}

bool stays_on_device(const std::string& output, const char* function) {
    if (output == "device") return true;
    if (output == "host") return false;
    throw bad_argument(function, "output", py::repr(py::str(output)).cast<std::string>(), "'host' or 'device'");
}

}  // namespace rigcast::bindings
