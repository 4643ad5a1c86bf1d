#include <pybind11/stl.h>

#include <functional>
#include <memory>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/inverse/frames/solve_frames.h"
#include "rigcast/inverse/problem.h"
#include "rigcast/inverse/rig_gram.h"
#include "rigcast/inverse/solve.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::bindings {
namespace {

using inverse::Problem;
using inverse::RigGram;
using optimize::ProductModel;

std::unique_ptr<RigGram> make_gram(std::shared_ptr<rig::BlendshapeRig> rig, const ArrayLike& vertices,
                                   const ArrayLike& weights) {
    const auto chosen = as_indices("InverseGram", "vertices", vertices);
    const auto omega = as_array<double, 1>("InverseGram", "vertex_weights", weights, "numbers (M,)");
    const ReleasedGil released;
    return std::make_unique<RigGram>(std::move(rig), view<std::int32_t, 1>(chosen), view<double, 1>(omega));
}

std::vector<bool> idle(const RigGram& gram) {
    return {gram.idle().begin(), gram.idle().end()};
}

Array<double> matrix(const RigGram& gram) {
    const std::int64_t n = gram.matrix().size();
    Array<double> result({n, n});
    for (std::int64_t i = 0; i < n; ++i) std::copy_n(gram.matrix().row(i), n, result.mutable_data(i, 0));
    return result;
}

py::tuple project(const RigGram& gram, const ArrayLike& targets, const IntLike& threads) {
    const int num_threads = thread_count("project", threads);
    const auto vertices = as_array<float, 3>("project", "targets", targets, "numbers (T, V, 3) or (T, M, 3)");
    Array<double> projections({py::ssize_t{vertices.shape(0)}, py::ssize_t{gram.projection().num_columns()}});
    Array<double> energies(vertices.shape(0));
    const auto in = view<float, 3>(vertices);
    const auto out = writable<double, 2>(projections);
    const auto sums = writable<double, 1>(energies);
    {
        const ReleasedGil released;
        gram.project(in, out, sums, num_threads);
    }
    return py::make_tuple(projections, energies);
}

std::unique_ptr<ProductModel> make_products(const rig::BlendshapeRig& rig, const ArrayLike& ties) {
    const auto owners = as_indices("ProductModel", "ties", ties);
    return std::make_unique<ProductModel>(inverse::rig_products(rig, view<std::int32_t, 1>(owners)));
}

/// Calls a Python function with the GIL. Raises KeyboardInterrupt after Ctrl-C.
template <class... Arguments>
std::function<void(Arguments...)> callback(const py::object& function) {
    return [&function](Arguments... arguments) {
        run_signal_handlers();
        const py::gil_scoped_acquire acquired;
        function(arguments...);
    };
}

/// The arrays of a solve's result.
struct ResultArrays {
    Array<double> weights;
    Array<std::int64_t> iterations;
    Array<bool> converged;

    ResultArrays(const char* function, const Problem& problem, const ArrayLike& start)
        : weights(copy(view<double, 2>(as_array<double, 2>(function, "start", start, "numbers (T, K)")))),
          iterations(problem.num_frames()),
          converged(problem.num_frames()) {
        check_shape<const double, 2>(function, "start", view<double, 2>(weights),
                                     {problem.num_frames(), problem.num_shapes()});
    }
    optimize::ShotResult views() {
        return {writable<double, 2>(weights), writable<std::int64_t, 1>(iterations), writable<bool, 1>(converged)};
    }
};

py::tuple descend(const RigGram& gram, const Problem& problem, const ArrayLike& start, double tolerance,
                  std::int64_t max_iterations, bool coupled, const IntLike& threads, const CountCallback& solved,
                  const StepCallback& report) {
    const int num_threads = thread_count("descend", threads);
    ResultArrays arrays("descend", problem, start);
    const optimize::ShotResult result = arrays.views();
    const inverse::DescentOptions options{tolerance,
                                          max_iterations,
                                          coupled,
                                          num_threads,
                                          callback<std::int64_t>(solved),
                                          callback<std::int64_t, double>(report)};
    {
        const ReleasedGil released;
        inverse::descend(gram, problem, options, result);
    }
    return py::make_tuple(arrays.weights, arrays.iterations, arrays.converged);
}

py::tuple finish_descent(const RigGram& gram, const Problem& problem, const ArrayLike& weights,
                         const ArrayLike& converged, double tolerance, const IntLike& threads) {
    constexpr const char* name = "finish_descent";
    const int num_threads = thread_count(name, threads);
    ResultArrays arrays(name, problem, weights);
    const py::array_t<bool, layout> flags(converged);
    if (flags.ndim() != 1 || flags.shape(0) != problem.num_frames()) {
        throw bad_argument(name, "converged", describe(flags), "truth values (T,)");
    }
    std::copy_n(flags.data(), flags.size(), arrays.converged.mutable_data());
    const optimize::ShotResult result = arrays.views();
    inverse::DescentOptions options;
    options.tolerance = tolerance;
    options.threads = num_threads;
    {
        const ReleasedGil released;
        inverse::finish_descent(gram, problem, options, result);
    }
    return py::make_tuple(arrays.weights, arrays.converged);
}

}  // namespace

void bind_inverse(py::module_& module) {
    py::class_<RigGram>(module, "InverseGram",
                        "The least-squares data of a blendshape rig on chosen vertices: its columns Phi, packed, and\n"
                        "their Gram matrix Phi^T Omega Phi. Immutable and thread-safe.")
        .def(py::init(&make_gram), py::arg("rig").none(false), py::arg("vertices"), py::arg("vertex_weights"))
        .def_readonly_static("nearly_dependent", &RigGram::nearly_dependent,
                             "Independence below which a shape counts as nearly a combination of others.")
        .def_property_readonly("matrix", &matrix, "(N, N) float64")
        .def_property_readonly("idle", &idle, "(K,): shapes that move none of the vertices, alone or in a combination.")
        .def_property_readonly("duplicates", &RigGram::duplicates,
                               "Pairs of shapes that move the vertices alike, the first shape first. Shapes in\n"
                               "combinations are left out.")
        .def_property_readonly(
            "independence",
            [](const RigGram& gram) {
                return copy<double, 1>({gram.independence().data(), {gram.rig().num_shapes()}});
            },
            "(K,): the sine of the angle between each shape and the span of the others.")
        .def_property_readonly("sharpness", &RigGram::sharpness, "What a tolerance is multiplied by.")
        .def_property_readonly(
            "num_bytes", [](const RigGram& gram) { return gram.projection().num_bytes(); },
            "Bytes of the packed columns.")
        .def("project", &project, py::arg("targets"), py::arg("threads") = 0,
             "Phi^T Omega b (T, N) and b^T Omega b (T,) for b = targets minus the neutral, in float64.");
    py::class_<ProductModel>(module, "ProductModel",
                             "How a rig's columns depend on variables; shape k's weight is variable ties[k].")
        .def(py::init(&make_products), py::arg("rig"), py::arg("ties"));
    bind_inverse_problem(module);
    module.def("descend", &descend, py::arg("gram"), py::arg("problem"), py::arg("start"), py::arg("tolerance"),
               py::arg("max_iterations"), py::arg("coupled"), py::arg("threads"), py::arg("solved"), py::arg("report"),
               "Weights (T, K), iterations (T,), converged (T,) of a shot, by exact descent in Gram space.\n"
               "Calls `solved` with the number of frames solved so far and, between the steps of a coupled solve,\n"
               "`report` with the number of steps and the largest ratio of optimality to threshold.\n"
               "max_iterations 0: the method's own.");
    module.def("finish_descent", &finish_descent, py::arg("gram"), py::arg("problem"), py::arg("weights"),
               py::arg("converged"), py::arg("tolerance"), py::arg("threads") = 0,
               "Weights (T, K) and converged (T,) of frames that a device solved: tied shapes, identical ones.");
    module.attr("INVERSE_FRAMES_PER_RUN") = inverse::frames_per_run;
}

}  // namespace rigcast::bindings
