#pragma once
#include <pybind11/pybind11.h>

#include <optional>

#include "rigwright/cuda/machine/device_array.h"

namespace rigwright::bindings {

namespace py = pybind11;

/// Rows that a Python object keeps in device memory. Lives as long as they are read, under the GIL.
class DeviceInput {
public:
    DeviceInput(const cuda::DeviceMatrix& rows, bool is_single, py::object owner)
        : matrix_(rows), single_(is_single), owner_(std::move(owner)) {}

    const cuda::DeviceMatrix& matrix() const { return matrix_; }
    /// Whether the object has one axis: one pose.
    bool is_single() const { return single_; }

private:
    cuda::DeviceMatrix matrix_;
    bool single_;
    py::object owner_;
};

/// An object with DLPack or __cuda_array_interface__ whose numbers are on the device, as rows, after the work that
/// produces them is done; nothing if it is something else (NumPy arrays are always host memory). Throws ArgumentError
/// unless it is contiguous float32 of one or two axes on the first device.
std::optional<DeviceInput> as_device_input(const char* function, const char* argument, const py::object& object);

void bind_device_array(py::module_& module);

}  // namespace rigwright::bindings
