#include "rigcast/inverse/published/majorize_minimize.h"

#include <memory>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"

namespace rigcast::bindings {
namespace {

constexpr const char* class_name = "MajorizeMinimize";

using inverse::MajorizeMinimize;

/// Keeps the arrays of frames alive.
struct FrameArrays {
    Array<float> offsets;
    Array<double> projections;
    Array<double> energies;
    Array<double> linear;
    Array<double> curvature;
    Array<double> lower;
    Array<double> upper;

    explicit FrameArrays(const py::dict& frames)
        : offsets(as_array<float, 3>(class_name, "offsets", frames["offsets"], "numbers (T, M, 3)")),
          projections(by_frame(frames, "projections")),
          energies(as_array<double, 1>(class_name, "energies", frames["energies"], "numbers (T,)")),
          linear(by_frame(frames, "linear")),
          curvature(by_frame(frames, "curvature")),
          lower(by_frame(frames, "lower")),
          upper(by_frame(frames, "upper")) {}

    MajorizeMinimize::Frames views() const {
        return {view<float, 3>(offsets), view<double, 2>(projections), view<double, 1>(energies),
                view<double, 2>(linear), view<double, 2>(curvature),   view<double, 2>(lower),
                view<double, 2>(upper)};
    }

private:
    static Array<double> by_frame(const py::dict& frames, const char* key) {
        return as_array<double, 2>(class_name, key, frames[key], "numbers (T, K)");
    }
};

std::unique_ptr<MajorizeMinimize> make_majorize_minimize(const optimize::ProductModel& products,
                                                         const ArrayLike& columns, const ArrayLike& gram,
                                                         const ArrayLike& vertex_weights, const ArrayLike& box,
                                                         const ArrayLike& ties, const IntLike& threads) {
    const int num_threads = thread_count(class_name, threads);
    const auto phi = as_array<float, 3>(class_name, "columns", columns, "numbers (N, M, 3)");
    const auto matrix = as_array<double, 2>(class_name, "gram", gram, "numbers (N, N)");
    const auto omega = as_array<double, 1>(class_name, "vertex_weights", vertex_weights, "numbers (M,)");
    const auto bounds = as_array<double, 2>(class_name, "box", box, "numbers (K, 2)");
    const auto owners = as_array<std::int64_t, 1>(class_name, "ties", ties, "shapes (K,)");
    const ReleasedGil released;
    return std::make_unique<MajorizeMinimize>(products, view<float, 3>(phi), view<double, 2>(matrix),
                                              view<double, 1>(omega), view<double, 2>(bounds),
                                              view<std::int64_t, 1>(owners), num_threads);
}

py::tuple solve(const MajorizeMinimize& self, const py::dict& frames, const ArrayLike& start, double tolerance,
                int max_iterations, bool lengthened, const IntLike& threads) {
    const int num_threads = thread_count(class_name, threads);
    const FrameArrays arrays(frames);
    const MajorizeMinimize::Frames views = arrays.views();
    const auto given = as_array<double, 2>(class_name, "start", start, "numbers (T, K)");
    check_shape(class_name, "start", view<double, 2>(given), {views.offsets.extent(0), self.num_shapes()});
    Array<double> weights = copy(view<double, 2>(given));
    Array<std::int64_t> iterations(given.shape(0));
    Array<bool> converged(given.shape(0));
    const auto w = writable<double, 2>(weights);
    const auto steps = writable<std::int64_t, 1>(iterations);
    const auto done = writable<bool, 1>(converged);
    {
        const ReleasedGil released;
        self.solve(views, {tolerance, max_iterations, lengthened}, w, steps, done, num_threads);
    }
    return py::make_tuple(weights, iterations, converged);
}

py::dict surrogate(const MajorizeMinimize& self, const py::dict& frames, std::int64_t frame, const ArrayLike& weights) {
    const FrameArrays arrays(frames);
    const auto w = as_array<double, 1>(class_name, "weights", weights, "numbers (K,)");
    const inverse::Surrogate bound = self.surrogate(arrays.views(), frame, view<double, 1>(w));
    const auto list = [](const std::vector<double>& values) {
        return Array<double>(static_cast<py::ssize_t>(values.size()), values.data());
    };
    py::dict result;
    result["value"] = bound.value;
    result["q"] = list(bound.q);
    result["r"] = list(bound.r);
    result["s"] = bound.s;
    result["low"] = list(bound.low);
    result["high"] = list(bound.high);
    return result;
}

}  // namespace

void bind_majorize_minimize(py::module_& module) {
    py::class_<MajorizeMinimize>(
        module, "MajorizeMinimize",
        "The majorization-minimization of Rackovic et al. (2022) for a rig. `products` has every shape as a variable\n"
        "of its own. Frames are a dict of offsets (T, M, 3), projections (T, N), energies (T,), linear, curvature,\n"
        "lower and upper (T, K).")
        .def(py::init(&make_majorize_minimize), py::arg("products"), py::arg("columns"), py::arg("gram"),
             py::arg("vertex_weights"), py::arg("box"), py::arg("ties"), py::arg("threads") = 0)
        .def("solve", &solve, py::arg("frames"), py::arg("start"), py::arg("tolerance"), py::arg("max_iterations"),
             py::arg("lengthened") = false, py::arg("threads") = 0,
             "Weights (T, K), iterations (T,), converged (T,) from feasible weights.")
        .def("surrogate", &surrogate, py::arg("frames"), py::arg("frame"), py::arg("weights"),
             "The bound value + sum q v + r v^2 + s v^4, low <= v <= high, around a frame's weights (K,).");
}

}  // namespace rigcast::bindings
