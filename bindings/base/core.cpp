#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/tensors.h"
#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/instruction_set.h"
#include "rigcast/core/parallel.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/network/read_memory.h"

namespace rigcast::bindings {
/// How this extension was built.
py::dict build_info() {
    py::dict info;
    info["cholesky"] = linalg::SparseCholesky::backend();
    info["compiler"] = __VERSION__;
    info["build_type"] = RIGCAST_BUILD_TYPE;
    info["cuda_fault"] = RIGCAST_CUDA_FAULT;  // why there is no CUDA extension; empty if there is one
    return info;
}

void bind_core(py::module_& module) {
    module.def("num_processors", &num_processors, "Processors that this process may use.");
    module.def("instruction_sets", &instruction_sets,
               "The instruction sets that the kernels are compiled for and this processor runs, best first.");
    module.def("instruction_set", &instruction_set,
               "The instruction set that the kernels use: the one that the environment variable\n"
               "RIGCAST_INSTRUCTION_SET named at the first use, else the best. ValueError if it is not available.");
    module.def(
        "read_memory",
        [](const py::buffer& buffer, int threads) {
            const py::buffer_info info = buffer.request();
            py::ssize_t step = info.itemsize;
            for (py::ssize_t axis = info.ndim - 1; axis >= 0; step *= info.shape[axis--]) {
                if (info.shape[axis] > 1 && info.strides[axis] != step) {
                    throw bad_argument("read_memory", "buffer", "an array with gaps", "contiguous, row by row");
                }
            }
            const std::span<const std::byte> bytes(static_cast<const std::byte*>(info.ptr),
                                                   static_cast<std::size_t>(info.size * info.itemsize));
            const ReleasedGil released;
            return network::read_memory(bytes, threads);
        },
        py::arg("buffer"), py::arg("threads") = 1,
        "Read a contiguous buffer once, from first to last byte: how long that takes is what a machine can do at "
        "best.\n"
        "Returns the exclusive or of its 64-bit words. threads=0: all processors.");
    module.def("build_info", &build_info, "How this extension was built: libraries, compiler, build type.");
    py::class_<TensorFile>(module, "TensorFile", "A model file: named float32 and int32 arrays and a metadata text.")
        .def_static(
            "read", [](const std::filesystem::path& path) { return TensorFile::read(path.string()); }, py::arg("path"),
            py::call_guard<ReleasedGil>(), "Read a model file; ValueError names what is wrong with it.")
        .def_static(
            "write",
            [](const std::filesystem::path& path, const py::dict& tensors, const std::string& metadata) {
                const TensorFile file = from_arrays(tensors, metadata, "TensorFile.write");
                const ReleasedGil released;
                file.write(path.string());
            },
            py::arg("path"), py::arg("tensors"), py::arg("metadata"),
            "Write a model file atomically: float32 and int32 arrays by name and a JSON text. ValueError names what\n"
            "cannot be stored.")
        .def_property_readonly("metadata", &TensorFile::metadata_text, "The JSON text under the key \"rigcast\".")
        .def("arrays", &to_arrays, "Copies of all tensors, by name.");
}

}  // namespace rigcast::bindings
