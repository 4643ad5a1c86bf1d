#include "bindings/convert/tensors.h"

#include "bindings/convert/arrays.h"
#include "rigcast/core/files/tensor_file.h"

namespace rigcast::bindings {

py::dict to_arrays(const TensorFile& file) {
    py::dict arrays;
    for (const auto& [name, entry] : file.entries()) {
        const std::vector<py::ssize_t> shape(entry.shape.begin(), entry.shape.end());
        if (entry.dtype == DType::f32) {
            arrays[py::str(name)] = py::array_t<float>(shape, file.data(entry));
        } else {
            arrays[py::str(name)] = py::array_t<std::int32_t>(shape, file.data<std::int32_t>(entry));
        }
    }
    return arrays;
}

TensorFile from_arrays(const py::dict& tensors, const std::string& metadata, const std::string& function) {
    TensorFile file;
    file.set_metadata(metadata, function);
    for (const auto& [key, value] : tensors) {
        const std::string name = py::str(key);
        const py::array any = py::array::ensure(value);
        const bool floats = any && py::isinstance<py::array_t<float>>(any);  // equal types, not the same object
        if (!floats && !(any && py::isinstance<py::array_t<std::int32_t>>(any))) {
            throw bad_argument(function, name, any ? describe(any) : "no array", "a float32 or int32 array");
        }
        std::vector<std::int64_t> shape(any.shape(), any.shape() + any.ndim());
        if (floats) {
            file.add(name, std::move(shape), Array<float>::ensure(any).data());
        } else {
            file.add(name, std::move(shape), Array<std::int32_t>::ensure(any).data());
        }
    }
    return file;
}

}  // namespace rigcast::bindings
