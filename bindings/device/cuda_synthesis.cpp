#include <memory>

#include "bindings/convert/arrays.h"
#include "bindings/device/cuda_bindings.h"
#include "rigcast/core/check.h"
#include "rigcast/cuda/synthesis/device_latent_space.h"

namespace rigcast::bindings {
namespace {

using cuda::DeviceLatentSpace;

std::unique_ptr<DeviceLatentSpace> make_device_space(const synthesis::LatentSpace& space) {
    const py::gil_scoped_release released;
    return std::make_unique<DeviceLatentSpace>(space);
}

py::tuple evaluate_device_space(DeviceLatentSpace& space, const ArrayLike& points) {
    const auto given = as_array<double, 2>("DeviceLatentSpace.evaluate", "points", points, "numbers (T, D)");
    const py::ssize_t count = given.shape(0);
    Array<double> mean(std::vector<py::ssize_t>{count, static_cast<py::ssize_t>(space.num_outputs())});
    Array<double> variance(count);
    Array<double> gradient(std::vector<py::ssize_t>{count, static_cast<py::ssize_t>(space.dimension())});
    const auto means = writable<double, 2>(mean);
    const auto variances = writable<double, 1>(variance);
    const auto gradients = writable<double, 2>(gradient);
    {
        const py::gil_scoped_release released;
        space.evaluate(view<double, 2>(given), means, variances, gradients);
    }
    return py::make_tuple(mean, variance, gradient);
}

}  // namespace

void bind_cuda_synthesis(py::module_& module) {
    py::class_<DeviceLatentSpace>(module, "DeviceLatentSpace", py::module_local(),
                                  "A rigcast._core.LatentSpace on the device, for many characters in one launch.")
        .def(py::init(&make_device_space), py::arg("space"))
        .def("evaluate", &evaluate_device_space, py::arg("points"),
             "Mean (T, P), variance (T,) and the gradient of the variance (T, D) at points (T, D), in float64.");
}

}  // namespace rigcast::bindings
