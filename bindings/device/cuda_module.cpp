#include <pybind11/stl.h>

#include "bindings/convert/errors.h"
#include "bindings/convert/unmade.h"
#include "bindings/device/cuda_bindings.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/device.h"

namespace py = pybind11;

namespace {

py::dict as_dict(const rigcast::cuda::DeviceInfo& device) {
    py::dict entry;
    entry["name"] = device.name;
    entry["compute_capability"] = std::to_string(device.major) + "." + std::to_string(device.minor);
    entry["memory"] = device.memory;
    return entry;
}

py::dict status() {
    const rigcast::cuda::DeviceStatus found = rigcast::cuda::device_status();
    py::list devices;
    for (const auto& device : found.devices) devices.append(as_dict(device));
    py::dict result;
    result["works"] = found.works;
    result["reason"] = found.reason;
    result["devices"] = devices;
    result["libraries"] = rigcast::cuda::describe_libraries();
    return result;
}

}  // namespace

PYBIND11_MODULE(_cuda, module) {
    module.doc() = "Batched evaluation on an NVIDIA GPU. Importing needs neither a driver nor a device.";
    py::register_local_exception_translator(&rigcast::bindings::translate);
    module.def("status", &status,
               "works (bool), reason (a phrase, if not), devices (name, compute_capability, memory in bytes),\n"
               "libraries (versions of cuBLAS and cuSPARSE, or a phrase why they are not built in).");
    module.def("copy_rate", &rigcast::cuda::copy_rate, py::arg("bytes"), py::arg("repeats"),
               py::call_guard<py::gil_scoped_release>(),
               "The median rate of copies on the device in gigabytes per second, read and written together.");
    rigcast::bindings::bind_cuda_resident(module);
    rigcast::bindings::bind_cuda_crowd(module);
    rigcast::bindings::bind_cuda_inverse(module);
    rigcast::bindings::refuse_unmade(module);
    py::module_::import("rigcast._core").attr("set_device_factory")("cuda", module.attr("factory"));
}
