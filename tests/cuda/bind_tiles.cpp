#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "bind_operations.h"
#include "bindings/convert/arrays.h"
#include "tiles.h"

namespace rigcast::bindings {
namespace {

using Floats = Array<float>;
using Groups = std::vector<std::tuple<std::int64_t, Floats, Floats>>;
/// First column, weight, bias, whether it upsamples, needed texels (R, R).
using Layers = std::vector<std::tuple<std::int64_t, Floats, Floats, bool, Array<std::uint8_t>>>;

cuda::ProductPlan plan_of(const Groups& groups) {
    cuda::ProductPlan plan(network::Activation::leaky_relu);
    for (const auto& [first, weight, bias] : groups) plan.add(first, view<float, 2>(weight), view<float, 1>(bias));
    return plan;
}

Floats product_in(int shape, const Floats& input, const Groups& groups) {
    const cuda::ProductPlan plan = plan_of(groups);
    Floats output({input.shape(0), static_cast<py::ssize_t>(plan.output_width)});
    cuda::product_in(shape, plan, view<float, 2>(input), writable<float, 2>(output));
    return output;
}

std::vector<std::vector<double>> product_milliseconds(const Groups& groups, std::int64_t width, std::int64_t frames,
                                                      int repeats) {
    return cuda::product_milliseconds(plan_of(groups), width, frames, repeats);
}

std::vector<cuda::TexelLayer> layers_of(const Layers& given) {
    std::vector<cuda::TexelLayer> layers;
    for (const auto& [first, weight, bias, upsamples, needed] : given) {
        const int side = static_cast<int>(needed.shape(0));
        network::TexelMask mask(side);
        for (int i = 0; i < side * side; ++i) {
            if (needed.data()[i] != 0) mask.set(i / side, i % side);
        }
        layers.push_back({first, view<float, 4>(weight), view<float, 1>(bias), upsamples, mask});
    }
    return layers;
}

/// Texels that are left out are NaN.
Floats texel_product_in(int shape, const Floats& input, const Layers& given, const Floats& detail) {
    const std::vector<cuda::TexelLayer> layers = layers_of(given);
    Floats output({input.shape(0), static_cast<py::ssize_t>(cuda::texel_width(layers))});
    std::fill_n(output.mutable_data(), output.size(), std::numeric_limits<float>::quiet_NaN());
    cuda::texel_product_in(shape, layers, view<float, 2>(detail), view<float, 2>(input), writable<float, 2>(output));
    return output;
}

std::vector<std::vector<double>> texel_milliseconds(const Layers& given, std::int64_t width, std::int64_t frames,
                                                    int repeats) {
    return cuda::texel_milliseconds(layers_of(given), width, frames, repeats);
}

}  // namespace

void bind_cuda_tiles(py::module_& module) {
    module.def("product_shapes", &cuda::product_shapes, "Names; shape 0 is the one that is chosen.");
    module.def("texel_shapes", &cuda::texel_shapes, "The same for convolutions.");
    module.def("product_in", &product_in, py::arg("shape"), py::arg("input"), py::arg("groups"),
               "A grouped product with leaky ReLU in blocks of a shape.");
    module.def("product_milliseconds", &product_milliseconds, py::arg("groups"), py::arg("width"), py::arg("frames"),
               py::arg("repeats"), "Times (shapes, repeats).");
    module.def("texel_product_in", &texel_product_in, py::arg("shape"), py::arg("input"), py::arg("layers"),
               py::arg("detail"), "Convolutions with leaky ReLU in blocks of a shape.");
    module.def("texel_milliseconds", &texel_milliseconds, py::arg("layers"), py::arg("width"), py::arg("frames"),
               py::arg("repeats"), "Times (shapes, repeats).");
}

}  // namespace rigcast::bindings
