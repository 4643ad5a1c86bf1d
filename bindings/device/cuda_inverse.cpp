#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/shot_arrays.h"
#include "bindings/device/cuda_bindings.h"
#include "bindings/device/device_arrays.h"
#include "rigcast/core/check.h"
#include "rigcast/cuda/inverse/projection.h"
#include "rigcast/cuda/inverse/solver.h"

namespace rigcast::bindings {
namespace {

using cuda::DeviceProjection;
using cuda::InverseSolver;
using optimize::Driver;

/// Converts the drivers of all columns from flat lists.
std::vector<std::vector<Driver>> read_columns(std::int64_t num_variables, const ArrayLike& offset,
                                              const ArrayLike& variable, const ArrayLike& is_tent,
                                              const ArrayLike& knots) {
    constexpr const char* name = "InverseSolver";
    const auto begin = as_indices(name, "offset", offset);
    const auto variables = as_indices(name, "variable", variable);
    const auto tents = as_indices(name, "is_tent", is_tent);
    const auto x = as_array<double, 2>(name, "knots", knots, "numbers (D, 3)");
    const std::int64_t count = variables.shape(0);
    check_shape<const std::int32_t, 1>(name, "is_tent", view<std::int32_t, 1>(tents), {count});
    check_shape<const double, 2>(name, "knots", view<double, 2>(x), {count, 3});
    if (begin.shape(0) < 2 || begin.at(0) != 0 || begin.at(begin.shape(0) - 1) != count) {
        throw bad_argument(name, "offset", describe(begin), "rising from 0 to the number of drivers");
    }
    std::vector<std::vector<Driver>> columns(begin.shape(0) - 1);
    for (std::size_t n = 0; n < columns.size(); ++n) {
        const std::int32_t first = begin.at(n);
        const std::int32_t last = begin.at(n + 1);
        if (first >= last || last > count) throw bad_argument(name, "offset", describe(begin), "rising everywhere");
        for (std::int32_t d = first; d < last; ++d) {
            if (variables.at(d) < 0 || variables.at(d) >= num_variables) {
                throw bad_argument(name, "variable", std::to_string(variables.at(d)) + " somewhere",
                                   "indices below " + std::to_string(num_variables));
            }
            columns[n].push_back({variables.at(d), tents.at(d) != 0, {x.at(d, 0), x.at(d, 1), x.at(d, 2)}});
        }
    }
    return columns;
}

std::unique_ptr<InverseSolver> make_solver(std::int64_t num_variables, const ArrayLike& offset,
                                           const ArrayLike& variable, const ArrayLike& is_tent, const ArrayLike& knots,
                                           const ArrayLike& gram, std::int64_t workspace, std::int64_t most_shared) {
    auto columns = read_columns(num_variables, offset, variable, is_tent, knots);
    const auto matrix = as_array<double, 2>("InverseSolver", "gram", gram, "numbers (N, N)");
    const py::gil_scoped_release released;
    const optimize::ProductModel products(num_variables, std::move(columns));
    return std::make_unique<InverseSolver>(cuda::InversePlan(products, view<double, 2>(matrix)), workspace,
                                           most_shared);
}

py::tuple solve(InverseSolver& solver, const py::tuple& terms, const ArrayLike& start, const ArrayLike& thresholds,
                std::int64_t max_iterations) {
    const ShotArrays arrays("solve", solver.num_variables(), solver.num_columns(), terms);
    const auto given = as_array<double, 2>("solve", "start", start, "numbers (T, K)");
    const auto limits = as_array<double, 1>("solve", "thresholds", thresholds, "numbers (T,)");
    Array<double> weights = copy(view<double, 2>(given));
    Array<std::int64_t> iterations(limits.shape(0));
    Array<bool> converged(limits.shape(0));
    const optimize::ShotResult result{writable<double, 2>(weights), writable<std::int64_t, 1>(iterations),
                                      writable<bool, 1>(converged)};
    {
        optimize::ShotOptions options;
        options.thresholds = view<double, 1>(limits);
        options.max_iterations = max_iterations;
        const ReleasedGil released;
        solver.solve(arrays.shot, options, result);
    }
    return py::make_tuple(weights, iterations, converged);
}

py::tuple measure(InverseSolver& solver, const py::tuple& terms, const ArrayLike& weights) {
    const ShotArrays arrays("measure", solver.num_variables(), solver.num_columns(), terms);
    const auto given = as_array<double, 2>("measure", "weights", weights, "numbers (T, K)");
    const std::int64_t frames = arrays.shot.projections.extent(0);
    const std::int64_t variables = solver.num_variables();
    Array<double> objective(frames);
    Array<double> right({frames, variables});
    Array<double> left({frames, variables});
    const optimize::FrameMeasures measures{writable<double, 1>(objective), writable<double, 2>(right),
                                           writable<double, 2>(left)};
    {
        const auto points = view<double, 2>(given);
        const py::gil_scoped_release released;
        solver.measure(arrays.shot, points, measures);
    }
    return py::make_tuple(objective, right, left);
}

std::unique_ptr<DeviceProjection> make_projection(const ArrayLike& columns, const ArrayLike& neutral,
                                                  const ArrayLike& weights, const ArrayLike& vertices,
                                                  std::int64_t num_rig_vertices, std::int64_t workspace) {
    constexpr const char* name = "Projection";
    const auto phi = as_array<float, 3>(name, "columns", columns, "numbers (N, M, 3)");
    const auto rest = as_array<float, 2>(name, "neutral", neutral, "numbers (M, 3)");
    const auto omega = as_array<double, 1>(name, "vertex_weights", weights, "numbers (M,)");
    const auto chosen = as_indices(name, "vertices", vertices);
    const py::gil_scoped_release released;
    return std::make_unique<DeviceProjection>(view<float, 3>(phi), view<float, 2>(rest), view<double, 1>(omega),
                                              view<std::int32_t, 1>(chosen), num_rig_vertices, workspace);
}

/// Projections (T, N) and energies (T,) of targets that stay in place.
py::tuple projected(DeviceProjection& projection, const cuda::ShotTargets& from) {
    Array<double> projections(
        {static_cast<py::ssize_t>(from.frames), static_cast<py::ssize_t>(projection.num_columns())});
    Array<double> energies(from.frames);
    {
        const auto out = writable<double, 2>(projections);
        const auto sums = writable<double, 1>(energies);
        const ReleasedGil released;
        projection.project(from, out, sums);
    }
    return py::make_tuple(projections, energies);
}

py::tuple project(DeviceProjection& projection, const ArrayLike& targets) {
    const auto vertices = as_array<float, 3>("project", "targets", targets, "numbers (T, V, 3) or (T, M, 3)");
    const auto in = view<float, 3>(vertices);
    if (in.extent(2) != 3) throw bad_argument("project", "targets", describe(vertices), "(T, V, 3) or (T, M, 3)");
    return projected(projection, {in.data(), in.extent(0), in.extent(1), false, false});
}

py::tuple project_in_place(DeviceProjection& projection, const DeviceShot& shot) {
    return projected(projection, shot.targets());
}

std::optional<DeviceShot> make_device_shot(const py::object& targets) {
    return as_device_shot("solve", "targets", targets);
}

Array<float> read_shot(const DeviceShot& shot, const ArrayLike& frames) {
    const auto chosen = as_indices("read_frames", "frames", frames);
    Array<float> vertices(
        std::vector<py::ssize_t>{chosen.shape(0), static_cast<py::ssize_t>(shot.targets().vertices), 3});
    {
        const auto from = view<std::int32_t, 1>(chosen);
        const auto to = writable<float, 3>(vertices);
        const py::gil_scoped_release released;
        cuda::read_frames(shot.targets(), from, to);
    }
    return vertices;
}

}  // namespace

void bind_cuda_inverse(py::module_& module) {
    py::class_<DeviceShot>(module, "DeviceShot", py::module_local(),
                           "Targets of a shot on the device, float32 or float16, which another library owns.")
        .def_static("of", &make_device_shot, py::arg("targets"),
                    "The targets (T, V, 3) or (V, 3) of an object with DLPack or __cuda_array_interface__ whose\n"
                    "numbers are on the device; None for other objects.")
        .def_property_readonly(
            "shape",
            [](const DeviceShot& shot) { return py::make_tuple(shot.targets().frames, shot.targets().vertices, 3); })
        .def("read", &read_shot, py::arg("frames"), "Vertices (F, V, 3) of some frames, copied to the host.");
    py::class_<DeviceProjection>(module, "Projection", py::module_local(),
                                 "A rig's columns on chosen vertices, on the device.")
        .def(py::init(&make_projection), py::arg("columns"), py::arg("neutral"), py::arg("vertex_weights"),
             py::arg("vertices"), py::arg("num_rig_vertices"),
             py::arg("workspace") = DeviceProjection::default_workspace,
             "Columns (N, M, 3), neutral (M, 3), vertex_weights (M,), vertices (M,) of the rig.\n"
             "workspace: bytes of device memory for the frames that are projected at once.")
        .def("project", &project_in_place, py::arg("targets"), "The same of targets on the device, which stay there.")
        .def("project", &project, py::arg("targets"),
             "Phi^T Omega b (T, N) and b^T Omega b (T,) for b = targets minus the neutral, in float64.");
    py::class_<InverseSolver>(module, "InverseSolver", py::module_local(),
                              "A rig's Gram matrix on the device, and how its columns depend on variables.")
        .def(py::init(&make_solver), py::arg("num_variables"), py::arg("offset"), py::arg("variable"),
             py::arg("is_tent"), py::arg("knots"), py::arg("gram"),
             py::arg("workspace") = InverseSolver::default_workspace, py::arg("most_shared") = -1,
             "Column n is the product of drivers offset[n] to offset[n + 1]: `variable`, or a tent over it if\n"
             "`is_tent`, with its three `knots`. workspace: bytes of device memory for the frames that are solved at\n"
             "once; most_shared: doubles of shared memory per block, -1 for all.")
        .def("solve", &solve, py::arg("terms"), py::arg("start"), py::arg("thresholds"), py::arg("max_iterations"),
             "Weights (T, K), iterations (T,), converged (T,) of a shot, frame by frame. `terms`: projections (T, N),\n"
             "linear, quadratic, lower, upper (T, K).")
        .def_property_readonly(
            "effort",
            [](const InverseSolver& solver) {
                const py::gil_scoped_release released;  // a solve of another thread holds the solver
                const InverseSolver::Effort effort = solver.effort();
                return std::pair(effort.jobs, effort.rest);
            },
            "Of the last solve: jobs, each a frame from one start, and those that gradient steps did not end.")
        .def("measure", &measure, py::arg("terms"), py::arg("weights"),
             "phi^T G phi - 2 p^T phi + linear^T w + quadratic w^2 (T,), and its slopes (T, K) to the right and to\n"
             "the left of each weight.");
}

}  // namespace rigcast::bindings
