#pragma once
#include <pybind11/pybind11.h>

#include <string>

/// Models on other devices than the CPU. The extension of a device registers a factory when it is imported; the copies
/// that it makes are kept as long as their models live.
namespace rigcast::bindings {

namespace py = pybind11;

/// The copy of a model (a Deformer) on a device, which the first call makes. Python loads the extension of the device
/// when it is needed. Throws ArgumentError, which names `function`, if the device is the CPU, is unknown, does not
/// work here, or does not evaluate models of this kind.
py::object device_model(const char* function, const py::object& model, const std::string& device);

void bind_device_models(py::module_& module);

}  // namespace rigcast::bindings
