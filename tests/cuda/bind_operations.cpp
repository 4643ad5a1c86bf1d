#include "bind_operations.h"

#include <pybind11/stl.h>

#include <tuple>
#include <vector>

#include "bindings/convert/arrays.h"
#include "operations.h"
#include "rigcast/cuda/machine/device.h"

namespace rigcast::bindings {
namespace {

using Floats = Array<float>;
using Integers = Array<std::int32_t>;

Floats gather(const Floats& source, const Integers& columns) {
    Floats target({source.shape(0), columns.shape(0)});
    cuda::gather(view<float, 2>(source), view<std::int32_t, 1>(columns), writable<float, 2>(target));
    return target;
}

Floats global_transforms(const Floats& poses, const Integers& parents, const Integers& joints) {
    Floats transforms({poses.shape(0), joints.shape(0), py::ssize_t{12}});
    cuda::global_transforms(view<float, 2>(poses), view<std::int32_t, 1>(parents), view<std::int32_t, 1>(joints),
                            writable<float, 3>(transforms));
    return transforms;
}

network::Activation activation_of(const std::string& name) {
    if (name == "none") return network::Activation::none;
    if (name == "tanh") return network::Activation::tanh;
    if (name == "relu") return network::Activation::relu;
    if (name == "leaky_relu") return network::Activation::leaky_relu;
    throw bad_argument("grouped_product", "activation", "'" + name + "'", "none, tanh, relu or leaky_relu");
}

network::Storage storage_of(const std::string& name) {
    if (name == "float32") return network::Storage::float32;
    if (name == "float16") return network::Storage::float16;
    if (name == "bfloat16") return network::Storage::bfloat16;
    if (name == "int16") return network::Storage::int16;
    if (name == "int8") return network::Storage::int8;
    throw bad_argument("grouped_product", "storage", "'" + name + "'", "float32, float16, bfloat16, int16 or int8");
}

/// Runs grouped_product or library_product. Groups are stored in the formats of `storage` by turns.
template <auto run>
Floats product(const Floats& input, const std::vector<std::tuple<std::int64_t, Floats, Floats>>& groups,
               const std::string& activation, const std::vector<std::string>& storage) {
    cuda::ProductPlan plan(activation_of(activation));
    std::size_t g = 0;
    for (const auto& [first, weight, bias] : groups) {
        const std::string name = storage.empty() ? "float32" : storage.at(g++ % storage.size());
        plan.add(first, view<float, 2>(weight), view<float, 1>(bias), storage_of(name), 64);
    }
    Floats output({input.shape(0), static_cast<py::ssize_t>(plan.output_width)});
    run(plan, view<float, 2>(input), writable<float, 2>(output));
    return output;
}

template <class T>
std::vector<T> as_vector(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

Floats sparse_product(const Integers& start, const Integers& columns, const Floats& values, const Floats& input,
                      std::int64_t num_frames) {
    const cuda::CompressedRows matrix{input.shape(0), as_vector(start), as_vector(columns), as_vector(values)};
    Floats output({static_cast<py::ssize_t>(num_frames), static_cast<py::ssize_t>(matrix.num_rows())});
    cuda::sparse_product(matrix, view<float, 2>(input), writable<float, 2>(output));
    return output;
}

Floats blend(const Floats& points, const Floats& transforms, const Integers& offset, const Integers& point,
             const Integers& transform, const Floats& weight) {
    Floats vertices({points.shape(0), offset.shape(0) - 1, py::ssize_t{3}});
    const cuda::BlendEntries entries{view<std::int32_t, 1>(offset), view<std::int32_t, 1>(point),
                                     view<std::int32_t, 1>(transform), view<float, 1>(weight)};
    cuda::blend(view<float, 3>(points), view<float, 3>(transforms), entries, writable<float, 3>(vertices));
    return vertices;
}

}  // namespace

void bind_cuda_operations(py::module_& module) {
    // Every kernel by itself, for the tests; indices are not checked.
    module.def("gather", &gather, py::arg("source"), py::arg("columns"), "source[:, columns]");
    module.def("global_transforms", &global_transforms, py::arg("poses"), py::arg("parents"), py::arg("joints"),
               "Global transforms (T, count, 12) of joints in poses (T, C).");
    module.def("grouped_product", &product<cuda::grouped_product>, py::arg("input"), py::arg("groups"),
               py::arg("activation"), py::arg("storage") = std::vector<std::string>(),
               "Outputs side by side of groups (first column, weight (rows, depth), bias (rows)).");
    module.def("library_product", &product<cuda::library_product>, py::arg("input"), py::arg("groups"),
               py::arg("activation"), py::arg("storage") = std::vector<std::string>(),
               "The same by cuBLAS, for groups of one shape.");
    module.def("sparse_product", &sparse_product, py::arg("start"), py::arg("columns"), py::arg("values"),
               py::arg("input"), py::arg("num_frames"),
               "(frames, rows): a matrix in compressed rows times the first columns of input, by cuSPARSE.");
    module.def(
        "architecture_fault",
        [](const std::string& name, int major, int minor, int oldest) {
            return cuda::architecture_fault({name, major, minor, 0}, oldest);
        },
        py::arg("name"), py::arg("major"), py::arg("minor"), py::arg("oldest"),
        "Why a device cannot run machine code from a compute capability on.");
    module.def("blend", &blend, py::arg("points"), py::arg("transforms"), py::arg("offset"), py::arg("point"),
               py::arg("transform"), py::arg("weight"), "Vertices (T, V, 3): sums of weighted transformed points.");
}

}  // namespace rigcast::bindings
