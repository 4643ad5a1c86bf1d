#include "bind_operations.h"

#include <pybind11/stl.h>

#include <tuple>
#include <vector>

#include "bindings/convert/arrays.h"
#include "operations.h"

namespace rigwright::bindings {
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

Floats grouped_product(const Floats& input, const std::vector<std::tuple<std::int64_t, Floats, Floats>>& groups,
                       const std::string& activation) {
    cuda::ProductPlan plan(activation_of(activation));
    for (const auto& [first, weight, bias] : groups) plan.add(first, view<float, 2>(weight), view<float, 1>(bias));
    Floats output({input.shape(0), static_cast<py::ssize_t>(plan.output_width)});
    cuda::grouped_product(plan, view<float, 2>(input), writable<float, 2>(output));
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
    module.def("grouped_product", &grouped_product, py::arg("input"), py::arg("groups"), py::arg("activation"),
               "Outputs side by side of groups (first column, weight (rows, depth), bias (rows)).");
    module.def("blend", &blend, py::arg("points"), py::arg("transforms"), py::arg("offset"), py::arg("point"),
               py::arg("transform"), py::arg("weight"), "Vertices (T, V, 3): sums of weighted transformed points.");
}

}  // namespace rigwright::bindings
