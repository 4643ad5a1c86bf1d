#pragma once
#include <string>

#include "bindings/convert/arrays.h"
#include "rigcast/rig/deformer.h"

/// Calls of rigcast._device_models, by which `Deformer` evaluates on other devices: these have extensions of their
/// own, which Python loads on first use.
namespace rigcast::bindings {

/// What a call chooses beside its poses: the order and the lengths of a prefix of blendshapes, or None twice, and the
/// detail (1, R) or (T, R) of refinements, or None.
struct ChoiceObjects {
    py::object order = py::none();
    py::object lengths = py::none();
    py::object detail = py::none();

    /// The function that has such choices, which errors name.
    const char* function() const { return detail.is_none() ? "evaluate" : "evaluate_detail"; }
};

/// A function of rigcast._device_models.
py::object device_models(const char* function);

/// Returns true if an object that is not a NumPy array has its numbers outside host memory.
bool is_on_device(const py::object& poses);

/// Writes the vertices of poses, which are checked (T, C) arrays or on the device, to `result`, memory of `output`.
void evaluate_on(const py::object& model, const std::string& device, const py::object& poses, View<float, 3> result,
                 const Array<float>& output, const ChoiceObjects& choices = {});

/// Vertices on the host for poses on the device.
Array<float> evaluate_from_device(const py::object& model, const std::string& device, const py::object& poses,
                                  const OutputArray& out, const ChoiceObjects& choices = {});

/// Vertices on the device for poses on the host or the device. Throws ArgumentError if the device is the CPU or `out`
/// is given.
py::object evaluate_to_device(const py::object& model, const std::string& device, const py::object& poses,
                              const OutputArray& out, const ChoiceObjects& choices = {});

/// Returns true if the output is "device", false if it is "host". Throws ArgumentError, which names `function`, if it
/// is neither.
bool stays_on_device(const std::string& output, const char* function = "evaluate");

}  // namespace rigcast::bindings
