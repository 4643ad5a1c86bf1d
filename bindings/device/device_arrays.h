#pragma once
#include <pybind11/pybind11.h>

#include <optional>

#include "rigcast/cuda/inverse/projection.h"
#include "rigcast/cuda/machine/device_array.h"

namespace rigcast::bindings {

namespace py = pybind11;

/// Poses in device memory that a Python object owns. Keep it while they are read; destroy it under the GIL.
class DeviceInput {
public:
    DeviceInput(const cuda::DeviceMatrix& rows, bool is_single, py::object owner)
        : matrix_(rows), single_(is_single), owner_(std::move(owner)) {}

    const cuda::DeviceMatrix& matrix() const { return matrix_; }
    /// Returns true if the object has one axis: a single pose.
    bool is_single() const { return single_; }

private:
    cuda::DeviceMatrix matrix_;
    bool single_;
    py::object owner_;
};

/// Imports an object with DLPack or __cuda_array_interface__ whose numbers are on the device, and waits until the work
/// that produces them is done. Returns nothing for other objects; NumPy arrays are always host memory. Throws
/// ArgumentError unless the array is contiguous float32 with one or two axes on the first device.
std::optional<DeviceInput> as_device_input(const char* function, const char* argument, const py::object& object);

/// Targets of a shot in device memory that a Python object owns. Keep it while they are read; destroy it under the GIL.
class DeviceShot {
public:
    DeviceShot(const cuda::ShotTargets& targets, py::object owner) : targets_(targets), owner_(std::move(owner)) {}

    const cuda::ShotTargets& targets() const { return targets_; }

private:
    cuda::ShotTargets targets_;
    py::object owner_;
};

/// The same as as_device_input for targets: contiguous float32 or float16 (T, V, 3) or (V, 3) on the first device.
std::optional<DeviceShot> as_device_shot(const char* function, const char* argument, const py::object& object);

void bind_device_array(py::module_& module);

}  // namespace rigcast::bindings
