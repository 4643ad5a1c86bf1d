#include "rigcast/synthesis/latent/latent_space.h"

#include <memory>
#include <vector>

#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/features/synthesis.h"

namespace rigcast::bindings {
namespace {

using synthesis::Kernel;
using synthesis::LatentSpace;

std::unique_ptr<LatentSpace> make_latent_space(const ArrayLike& points, const ArrayLike& values, double variance,
                                               double length, double noise, const OptionalArray& inducing,
                                               const IntLike& threads) {
    constexpr const char* name = "LatentSpace";
    const int num_threads = thread_count(name, threads);
    const auto x = as_array<double, 2>(name, "points", points, "numbers (N, D)");
    const auto y = as_array<double, 2>(name, "values", values, "numbers (N, P)");
    Array<double> z(std::vector<py::ssize_t>{0, x.shape(1)});
    if (!inducing.is_none()) {
        z = as_array<double, 2>(name, "inducing", inducing, "numbers (M, D)");
        if (z.shape(0) == 0) throw bad_argument(name, "inducing", describe(z), "at least one point, or None");
    }
    const ReleasedGil released;
    return std::make_unique<LatentSpace>(view<double, 2>(x), view<double, 2>(y), Kernel{variance, length, noise},
                                         view<double, 2>(z), num_threads);
}

Array<double> latent_mean(const LatentSpace& space, const ArrayLike& x, const IntLike& threads) {
    const int num_threads = thread_count("LatentSpace.mean", threads);
    const auto given = as_array<double, 2>("LatentSpace.mean", "x", x, "numbers (T, D)");
    Array<double> out({given.shape(0), static_cast<py::ssize_t>(space.num_outputs())});
    const auto result = writable<double, 2>(out);
    const ReleasedGil released;
    space.mean(view<double, 2>(given), result, num_threads);
    return out;
}

Array<double> latent_variance(const LatentSpace& space, const ArrayLike& x, const IntLike& threads) {
    const int num_threads = thread_count("LatentSpace.predictive_variance", threads);
    const auto given = as_array<double, 2>("LatentSpace.predictive_variance", "x", x, "numbers (T, D)");
    Array<double> out(given.shape(0));
    const auto result = writable<double, 1>(out);
    const ReleasedGil released;
    space.predictive_variance(view<double, 2>(given), result, num_threads);
    return out;
}

Array<double> latent_gradient(const LatentSpace& space, const ArrayLike& x, const IntLike& threads) {
    const int num_threads = thread_count("LatentSpace.variance_gradient", threads);
    const auto given = as_array<double, 2>("LatentSpace.variance_gradient", "x", x, "numbers (T, D)");
    Array<double> out(std::vector<py::ssize_t>{given.shape(0), given.shape(1)});
    const auto result = writable<double, 2>(out);
    const ReleasedGil released;
    space.variance_gradient(view<double, 2>(given), result, num_threads);
    return out;
}

}  // namespace

void bind_latent_space(py::module_& module) {
    py::class_<LatentSpace, std::shared_ptr<LatentSpace>>(
        module, "LatentSpace",
        "A Gaussian process from a latent space (D) to P outputs, conditioned on N training points with\n"
        "k(a, b) = variance exp(-|a - b|^2 / (2 length^2)) + noise [a is b]: exactly, or through M inducing points\n"
        "(FITC; Snelson and Ghahramani 2006). float64. Immutable and thread-safe.")
        .def(py::init(&make_latent_space), py::arg("points"), py::arg("values"), py::arg("variance"), py::arg("length"),
             py::arg("noise"), py::arg("inducing") = py::none(), py::kw_only(), py::arg("threads") = 0,
             "points (N, D), values (N, P), inducing (M, D), M <= N. ValueError on wrong shapes, numbers that are not\n"
             "finite and kernels that are not positive; NumericalError if the noise is too small for the points.")
        .def_property_readonly("points", [](const LatentSpace& space) { return copy(space.points()); })
        .def_property_readonly("values", [](const LatentSpace& space) { return copy(space.values()); })
        .def_property_readonly(
            "inducing",
            [](const LatentSpace& space) -> py::object {
                if (space.inducing().extent(0) == 0) return py::none();
                return copy(space.inducing());
            },
            "(M, D), or None if the process is exact.")
        .def_property_readonly("variance", [](const LatentSpace& space) { return space.kernel().variance; })
        .def_property_readonly("length", [](const LatentSpace& space) { return space.kernel().length; })
        .def_property_readonly("noise", [](const LatentSpace& space) { return space.kernel().noise; })
        .def("mean", &latent_mean, py::arg("x"), py::kw_only(), py::arg("threads") = 0,
             "The outputs' mean (T, P) at points x (T, D).")
        .def("predictive_variance", &latent_variance, py::arg("x"), py::kw_only(), py::arg("threads") = 0,
             "(T,): the variance of one output at points x (T, D), without noise.")
        .def("variance_gradient", &latent_gradient, py::arg("x"), py::kw_only(), py::arg("threads") = 0,
             "(T, D): the gradient of predictive_variance.")
        .def("log_likelihood", &LatentSpace::log_likelihood, "log p(values | points).");
}

}  // namespace rigcast::bindings
