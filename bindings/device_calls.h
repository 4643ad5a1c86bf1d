#pragma once
#include <string>

#include "arrays.h"
#include "rigwright/rig/deformer.h"

/// What `Deformer` hands to rigwright._device_models: other devices have extensions of their own, which Python loads on
/// first use.
namespace rigwright::bindings {

/// The order and the lengths of a prefix of blendshapes, or None twice.
struct PrefixObjects {
    py::object order = py::none(), lengths = py::none();
};

/// A function of rigwright._device_models.
py::object device_models(const char* function);

/// Whether an object that is no NumPy array offers numbers outside host memory.
bool is_on_device(const py::object& poses);

/// Writes the vertices of poses, checked (T, C) ones or ones on the device, into `result`, memory of `output`.
void evaluate_on(const py::object& model, const std::string& device, const py::object& poses, View<float, 3> result,
                 const Array<float>& output, const PrefixObjects& prefix = {});

/// Vertices on the host of poses on the device.
Array<float> evaluate_from_device(const py::object& model, const std::string& device, const py::object& poses,
                                  const py::object& out, const PrefixObjects& prefix = {});

/// Vertices that stay on the device, of poses anywhere. Throws ArgumentError if the device is the CPU or `out` is
/// given.
py::object evaluate_to_device(const py::object& model, const std::string& device, const py::object& poses,
                              const py::object& out, const PrefixObjects& prefix = {});

/// Whether the output is "device". Throws ArgumentError unless it is that or "host".
bool stays_on_device(const std::string& output);

}  // namespace rigwright::bindings
