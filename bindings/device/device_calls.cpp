#include "bindings/device/device_calls.h"

#include <pybind11/stl.h>

#include "bindings/convert/poses.h"
#include "bindings/device/device_models.h"
#include "bindings/device/dlpack.h"

namespace rigcast::bindings {

bool is_on_device(const char* function, const py::object& poses) {
    if (py::isinstance<py::array>(poses)) return false;
    if (py::hasattr(poses, "__cuda_array_interface__")) return true;
    const std::int32_t type = dlpack::device_of(function, "poses", poses, pose_shape).type;
    return type != 0 && !dlpack::is_host(type);
}

void evaluate_on(const py::object& model, const std::string& device, const py::object& poses, View<float, 3> result,
                 const Array<float>& output, const ChoiceObjects& choices) {
    const py::array vertices(py::dtype::of<float>(), {result.extent(0), result.extent(1), result.extent(2)},
                             result.data(), output);
    const py::object there = device_model(choices.function(), model, device);
    there.attr("evaluate")(poses, vertices, choices.order, choices.lengths, choices.detail);
}

Array<float> evaluate_from_device(const py::object& model, const std::string& device, const py::object& poses,
                                  const OutputArray& out, const ChoiceObjects& choices) {
    if (device == "cpu") {
        throw bad_argument(choices.function(), "poses", "on a device", "in host memory, as device is 'cpu'");
    }
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

DeviceArrayResult evaluate_to_device(const py::object& model, const std::string& device, const py::object& poses,
                                     const ChoiceObjects& choices) {
    const py::object there = device_model(choices.function_on_device(), model, device);
    return there.attr("evaluate_on_device")(poses, choices.order, choices.lengths, choices.detail);
}

}  // namespace rigcast::bindings
