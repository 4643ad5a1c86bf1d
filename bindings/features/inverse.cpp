#include <pybind11/stl.h>

#include <functional>
#include <memory>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/convert/shot_arrays.h"
#include "rigcast/core/check.h"
#include "rigcast/inverse/frames/solve_frames.h"
#include "rigcast/inverse/rig_gram.h"
#include "rigcast/inverse/solve.h"
#include "rigcast/optimize/products/measure_frames.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::bindings {
namespace {

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
    const std::vector<char> found = gram.idle();
    return {found.begin(), found.end()};
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

py::tuple descend(const ProductModel& products, const RigGram& gram, const py::tuple& terms, const ArrayLike& start,
                  const py::tuple& priors, const ArrayLike& ties, double alpha, double smoothness, double tolerance,
                  double sharpness, std::int64_t max_iterations, bool coupled, const IntLike& threads,
                  const CountCallback& solved, const StepCallback& report) {
    constexpr const char* name = "descend";
    const int num_threads = thread_count(name, threads);
    const ShotArrays arrays(name, products.num_variables(), products.num_columns(), terms);
    const std::int64_t frames = arrays.shot.projections.extent(0);
    const std::int64_t shapes = products.num_variables();
    if (priors.size() != 2) throw bad_argument(name, "priors", "not two arrays", "two arrays");
    const auto targets = as_array<double, 2>(name, "priors", priors[0], "numbers (T, K)");
    const auto strengths = as_array<double, 2>(name, "priors", priors[1], "numbers (T, K)");
    const auto given = as_array<double, 2>(name, "start", start, "numbers (T, K)");
    const auto owners = as_indices(name, "ties", ties);
    for (const Array<double>* array : {&targets, &strengths, &given}) {
        check_shape<const double, 2>(name, "start or priors", view<double, 2>(*array), {frames, shapes});
    }
    check_shape<const std::int32_t, 1>(name, "ties", view<std::int32_t, 1>(owners), {shapes});
    const inverse::WeightProblem problem{
        arrays.shot, view<double, 2>(targets), view<double, 2>(strengths), view<std::int32_t, 1>(owners), alpha,
        smoothness};
    const inverse::DescentOptions options{tolerance,
                                          sharpness,
                                          max_iterations,
                                          coupled,
                                          num_threads,
                                          callback<std::int64_t>(solved),
                                          callback<std::int64_t, double>(report)};
    Array<double> weights = copy(view<double, 2>(given));
    Array<std::int64_t> iterations(frames);
    Array<bool> converged(frames);
    const optimize::ShotResult result{writable<double, 2>(weights), writable<std::int64_t, 1>(iterations),
                                      writable<bool, 1>(converged)};
    {
        const ReleasedGil released;
        inverse::descend(products, gram, problem, options, result);
    }
    return py::make_tuple(weights, iterations, converged);
}

py::tuple measure(const ProductModel& products, const RigGram& gram, const py::tuple& terms, const ArrayLike& weights,
                  const IntLike& threads) {
    constexpr const char* name = "measure_frames";
    const int num_threads = thread_count(name, threads);
    const ShotArrays arrays(name, products.num_variables(), products.num_columns(), terms);
    const auto given = as_array<double, 2>(name, "weights", weights, "numbers (T, K)");
    const std::int64_t frames = arrays.shot.projections.extent(0);
    const std::int64_t shapes = products.num_variables();
    check_shape<const double, 2>(name, "weights", view<double, 2>(given), {frames, shapes});
    Array<double> fidelity(frames);
    Array<double> right({frames, shapes});
    Array<double> left({frames, shapes});
    const auto points = view<double, 2>(given);
    const optimize::FrameMeasures result{writable<double, 1>(fidelity), writable<double, 2>(right),
                                         writable<double, 2>(left)};
    {
        const ReleasedGil released;
        optimize::measure_frames(products, gram.matrix(), arrays.shot, points, num_threads, result);
    }
    return py::make_tuple(fidelity, right, left);
}

}  // namespace

void bind_inverse(py::module_& module) {
    py::class_<RigGram>(module, "InverseGram",
                        "The least-squares data of a blendshape rig on chosen vertices: its columns Phi, packed, and\n"
                        "their Gram matrix Phi^T Omega Phi. Immutable and thread-safe.")
        .def(py::init(&make_gram), py::arg("rig").none(false), py::arg("vertices"), py::arg("vertex_weights"))
        .def_property_readonly("matrix", &matrix, "(N, N) float64")
        .def_property_readonly("idle", &idle, "(K,): shapes that move none of the vertices, alone or in a combination.")
        .def_property_readonly("duplicates", &RigGram::duplicates,
                               "Pairs of shapes that move the vertices alike, the first shape first. Shapes in\n"
                               "combinations are left out.")
        .def_property_readonly(
            "num_bytes", [](const RigGram& gram) { return gram.projection().num_bytes(); },
            "Bytes of the packed columns.")
        .def("project", &project, py::arg("targets"), py::arg("threads") = 0,
             "Phi^T Omega b (T, N) and b^T Omega b (T,) for b = targets minus the neutral, in float64.");
    py::class_<ProductModel>(module, "ProductModel",
                             "How a rig's columns depend on variables; shape k's weight is variable ties[k].")
        .def(py::init(&make_products), py::arg("rig"), py::arg("ties"))
        .def_property_readonly("is_linear", &ProductModel::is_linear);
    module.def("descend", &descend, py::arg("products"), py::arg("gram"), py::arg("terms"), py::arg("start"),
               py::arg("priors"), py::arg("ties"), py::arg("alpha"), py::arg("smoothness"), py::arg("tolerance"),
               py::arg("sharpness"), py::arg("max_iterations"), py::arg("coupled"), py::arg("threads"),
               py::arg("solved"), py::arg("report"),
               "Weights (T, K), iterations (T,), converged (T,) of a shot, by exact descent in Gram space. `terms`:\n"
               "projections (T, N), linear, quadratic, lower, upper (T, K); `priors`: targets and strengths (T, K).\n"
               "Calls `solved` with the number of frames solved so far and, between the steps of a coupled solve,\n"
               "`report` with the number of steps and the largest ratio of optimality to threshold.\n"
               "max_iterations 0: the method's own.");
    module.attr("INVERSE_FRAMES_PER_RUN") = inverse::frames_per_run;
    module.def("measure_frames", &measure, py::arg("products"), py::arg("gram"), py::arg("terms"), py::arg("weights"),
               py::arg("threads") = 0,
               "phi^T G phi - 2 p^T phi + linear^T w + quadratic w^2 (T,), and its slopes (T, K) to the right and to\n"
               "the left of each weight.");
}

}  // namespace rigcast::bindings
