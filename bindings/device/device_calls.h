#pragma once
#include <string>

#include "bindings/convert/arguments.h"
#include "bindings/convert/arrays.h"
#include "rigcast/rig/deformer.h"

/// How `Deformer` evaluates on other devices: by the copies of models that device_models.h keeps.
namespace rigcast::bindings {

/// What a call chooses beside its poses: the order and the lengths of a prefix of blendshapes, or None twice, and the
/// detail (1, R) or (T, R) of refinements, or None.
struct ChoiceObjects {
    py::object order = py::none();
    py::object lengths = py::none();
    py::object detail = py::none();

    /// The functions that have such choices, which errors name: of vertices on the host, and of vertices on the device.
    const char* function() const { return detail.is_none() ? "evaluate" : "evaluate_detail"; }
    const char* function_on_device() const {
        return detail.is_none() ? "evaluate_on_device" : "evaluate_detail_on_device";
    }
};

/// Returns true if an object that is not a NumPy array has its numbers outside host memory. Throws ArgumentError, which
/// names the function, if it does not say where they are.
bool is_on_device(const char* function, const py::object& poses);

/// Writes the vertices of poses, which are checked (T, C) arrays or on the device, to `result`, memory of `output`.
void evaluate_on(const py::object& model, const std::string& device, const py::object& poses, View<float, 3> result,
                 const Array<float>& output, const ChoiceObjects& choices = {});

/// Vertices on the host for poses on the device. Throws ArgumentError if `device` is the CPU.
Array<float> evaluate_from_device(const py::object& model, const std::string& device, const py::object& poses,
                                  const OutputArray& out, const ChoiceObjects& choices = {});

/// Vertices on the device for poses on the host or the device.
DeviceArrayResult evaluate_to_device(const py::object& model, const std::string& device, const py::object& poses,
                                     const ChoiceObjects& choices = {});

}  // namespace rigcast::bindings
