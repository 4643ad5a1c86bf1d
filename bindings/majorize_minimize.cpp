#include "rigwright/inverse/published/majorize_minimize.h"

#include "arrays.h"
#include "bindings.h"
#include "rigwright/core/check.h"

namespace rigwright::bindings {
namespace {

constexpr const char* name = "MajorizeMinimize";

/// Keeps the arrays of Frames alive.
struct FrameArrays {
    Array<float> offsets;
    Array<double> projections, energies, linear, curvature, lower, upper;

    FrameArrays(const py::dict& frames)
        : offsets(as_array<float, 3>(name, "offsets", frames["offsets"], "numbers (T, M, 3)")),
          projections(rows(frames, "projections")),
          energies(as_array<double, 1>(name, "energies", frames["energies"], "numbers (T,)")),
          linear(rows(frames, "linear")),
          curvature(rows(frames, "curvature")),
          lower(rows(frames, "lower")),
          upper(rows(frames, "upper")) {}

    inverse::Frames checked(std::int64_t vertices, std::int64_t columns, std::int64_t shapes) const {
        const inverse::Frames frames{view<float, 3>(offsets), view<double, 2>(projections), view<double, 1>(energies),
                                     view<double, 2>(linear), view<double, 2>(curvature),   view<double, 2>(lower),
                                     view<double, 2>(upper)};
        const std::int64_t count = frames.offsets.extent(0);
        check_shape(name, "offsets", frames.offsets, {count, vertices, 3});
        check_shape(name, "projections", frames.projections, {count, columns});
        check_shape(name, "energies", frames.energies, {count});
        check_shape(name, "linear", frames.linear, {count, shapes});
        check_shape(name, "curvature", frames.curvature, {count, shapes});
        check_shape(name, "lower", frames.lower, {count, shapes});
        check_shape(name, "upper", frames.upper, {count, shapes});
        return frames;
    }

private:
    static Array<double> rows(const py::dict& frames, const char* key) {
        return as_array<double, 2>(name, key, frames[key], "numbers (T, K)");
    }
};

/// The method, and what its frames must look like.
struct Method {
    std::int64_t vertices, columns, shapes;
    inverse::MajorizeMinimize method;
};

std::unique_ptr<Method> make(const optimize::ProductModel& products, const py::object& columns, const py::object& gram,
                             const py::object& vertex_weights, const py::object& box, const py::object& ties,
                             int threads) {
    check_threads(name, threads);
    const auto moved = as_array<float, 3>(name, "columns", columns, "numbers (N, M, 3)");
    const auto inner = as_array<double, 2>(name, "gram", gram, "numbers (N, N)");
    const auto omega = as_array<double, 1>(name, "vertex_weights", vertex_weights, "numbers (M,)");
    const auto bounds = as_array<double, 2>(name, "box", box, "numbers (K, 2)");
    const auto owners = as_array<std::int64_t, 1>(name, "ties", ties, "shapes (K,)");
    const py::gil_scoped_release released;
    return std::unique_ptr<Method>(new Method{
        moved.shape(1), products.num_columns(), products.num_variables(),
        inverse::MajorizeMinimize(products, view<float, 3>(moved), view<double, 2>(inner), view<double, 1>(omega),
                                  view<double, 2>(bounds), view<std::int64_t, 1>(owners), threads)});
}

py::tuple solve(const Method& self, const py::dict& frames, const py::object& start, double tolerance,
                int max_iterations, int threads) {
    check_threads(name, threads);
    const FrameArrays arrays(frames);
    const inverse::Frames given = arrays.checked(self.vertices, self.columns, self.shapes);
    const auto first = as_array<double, 2>(name, "start", start, "numbers (T, K)");
    check_shape(name, "start", view<double, 2>(first), {given.offsets.extent(0), self.shapes});
    Array<double> weights = copy(view<double, 2>(first));
    Array<std::int64_t> iterations(first.shape(0));
    Array<bool> converged(first.shape(0));
    const auto w = writable<double, 2>(weights);
    const auto steps = writable<std::int64_t, 1>(iterations);
    const auto done = writable<bool, 1>(converged);
    {
        const py::gil_scoped_release released;
        self.method.solve(given, {tolerance, max_iterations}, w, steps, done, threads);
    }
    return py::make_tuple(weights, iterations, converged);
}

py::dict surrogate(const Method& self, const py::dict& frames, std::int64_t frame, const py::object& weights) {
    const FrameArrays arrays(frames);
    const inverse::Frames given = arrays.checked(self.vertices, self.columns, self.shapes);
    const auto w = as_array<double, 1>(name, "weights", weights, "numbers (K,)");
    check_shape(name, "weights", view<double, 1>(w), {self.shapes});
    if (frame < 0 || frame >= given.offsets.extent(0)) {
        throw bad_argument(name, "frame", std::to_string(frame), "a frame");
    }
    const inverse::Surrogate bound = self.method.surrogate(given, frame, view<double, 1>(w));
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
    py::class_<Method>(
        module, "MajorizeMinimize",
        "The majorization-minimization of Rackovic et al. (2022) for a rig. `structure` has every shape\n"
        "as a variable of its own; frames are a dict of offsets (T, M, 3),\n"
        "projections (T, N), energies (T,), linear, curvature, lower and upper (T, K).")
        .def(py::init(&make), py::arg("structure"), py::arg("columns"), py::arg("gram"), py::arg("vertex_weights"),
             py::arg("box"), py::arg("ties"), py::arg("threads") = 0)
        .def("solve", &solve, py::arg("frames"), py::arg("start"), py::arg("tolerance"), py::arg("max_iterations"),
             py::arg("threads") = 0, "Weights (T, K), iterations (T,), converged (T,) from feasible weights.")
        .def("surrogate", &surrogate, py::arg("frames"), py::arg("frame"), py::arg("weights"),
             "The bound value + sum q v + r v^2 + s v^4, low <= v <= high, around a frame's weights (K,).");
}

}  // namespace rigwright::bindings
