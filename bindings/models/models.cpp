#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/tensors.h"
#include "rigcast/registry/make_model.h"

namespace rigcast::bindings {

namespace py = pybind11;

void bind_models(py::module_& module) {
    module.def(
        "load",
        [](const std::filesystem::path& path) {
            return make_model(std::make_shared<const TensorFile>(TensorFile::read(path.string())));
        },
        py::arg("path"), py::call_guard<ReleasedGil>(),
        "Read a model file. Runs no code; ValueError if the file is malformed.");
    module.def(
        "model_from_tensors",
        [](const py::dict& tensors, const std::string& metadata) {
            return make_model(std::make_shared<const TensorFile>(from_arrays(tensors, metadata)));
        },
        py::arg("tensors"), py::arg("metadata"),
        "Make a model from float32 and int32 arrays by name, and the JSON text of its metadata.");
}

}  // namespace rigcast::bindings
