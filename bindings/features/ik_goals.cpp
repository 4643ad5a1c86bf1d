#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/features/ik_learned.h"
#include "rigcast/core/check.h"
#include "rigcast/ik/goals/pose_solver.h"

namespace rigcast::bindings {
namespace {

using ik::Goal;
using ik::PoseSolver;

std::unique_ptr<PoseSolver> make_solver(std::shared_ptr<rig::Deformer> model, double size) {
    const ReleasedGil released;
    return std::make_unique<PoseSolver>(std::move(model), size);
}

std::vector<std::string> names(const PoseSolver& solver) {
    std::vector<std::string> found;
    for (const ik::Unknown& unknown : solver.unknowns().list()) found.push_back(unknown.name);
    return found;
}

Array<double> bounds(const PoseSolver& solver) {
    Array<double> result({static_cast<py::ssize_t>(solver.unknowns().size()), py::ssize_t{2}});
    double* out = result.mutable_data();
    for (const ik::Unknown& unknown : solver.unknowns().list()) *out++ = unknown.low, *out++ = unknown.high;
    return result;
}

Array<double> scales(const PoseSolver& solver) {
    Array<double> result(solver.unknowns().size());
    double* out = result.mutable_data();
    for (const ik::Unknown& unknown : solver.unknowns().list()) *out++ = unknown.scale;
    return result;
}

Array<double> from_poses(const PoseSolver& solver, const ArrayLike& poses, const ArrayLike& references) {
    const auto given = as_array<float, 2>("solve", "start", poses, "numbers (T, C)");
    const auto reference = as_array<float, 2>("solve", "start", references, "numbers (1, C) or (T, C)");
    solver.model().check_poses("solve", view<float, 2>(given), "start");
    check_shape<const float, 2>("solve", "start", view<float, 2>(reference),
                                {reference.shape(0) == 1 ? 1 : given.shape(0), given.shape(1)});
    Array<double> values({given.shape(0), static_cast<py::ssize_t>(solver.unknowns().size())});
    const auto out = writable<double, 2>(values);
    const ReleasedGil released;
    solver.unknowns().from_poses(view<float, 2>(given), view<float, 2>(reference), out);
    return values;
}

Array<float> to_poses(const PoseSolver& solver, const ArrayLike& values, const ArrayLike& references) {
    const std::int64_t width = solver.model().character().num_controls();
    const auto given = as_array<double, 2>("solve", "start", values, "numbers (T, N)");
    const auto reference = as_array<float, 2>("solve", "start", references, "numbers (1, C)");
    check_shape<const double, 2>("solve", "start", view<double, 2>(given), {-1, solver.unknowns().size()});
    check_shape<const float, 2>("solve", "start", view<float, 2>(reference), {1, width});
    Array<float> poses({given.shape(0), static_cast<py::ssize_t>(width)});
    for (py::ssize_t t = 0; t < given.shape(0); ++t) {
        solver.unknowns().pose(given.data(t, 0), reference.data(), poses.mutable_data(t, 0));
    }
    return poses;
}

/// The rest pose (1, C) and its unknowns (1, N).
py::tuple rest_of(const PoseSolver& solver) {
    std::vector<float> pose;
    std::vector<double> unknowns;
    solver.rest(pose, unknowns);
    return py::make_tuple(Array<float>({py::ssize_t{1}, std::ssize(pose)}, pose.data()),
                          Array<double>({py::ssize_t{1}, std::ssize(unknowns)}, unknowns.data()));
}

/// The vector-Jacobian product of `poses`: gradients (T, N) of the unknowns from those of the poses (T, C).
Array<double> poses_vjp(const PoseSolver& solver, const ArrayLike& values, const ArrayLike& reference,
                        const ArrayLike& gradients) {
    const std::int64_t width = solver.model().character().num_controls();
    const std::int64_t n = solver.unknowns().size();
    const auto given = as_array<double, 2>("poses_vjp", "values", values, "numbers (T, N)");
    const auto origin = as_array<float, 2>("poses_vjp", "reference", reference, "numbers (1, C)");
    const auto pulled = as_array<float, 2>("poses_vjp", "gradients", gradients, "numbers (T, C)");
    check_shape<const double, 2>("poses_vjp", "values", view<double, 2>(given), {-1, n});
    check_shape<const float, 2>("poses_vjp", "reference", view<float, 2>(origin), {1, width});
    check_shape<const float, 2>("poses_vjp", "gradients", view<float, 2>(pulled), {given.shape(0), width});
    Array<double> result({given.shape(0), static_cast<py::ssize_t>(n)});
    std::fill_n(result.mutable_data(), result.size(), 0.0);
    std::vector<float> pose(static_cast<std::size_t>(width));
    rig::PoseDirections directions;
    for (py::ssize_t t = 0; t < given.shape(0); ++t) {
        solver.unknowns().pose(given.data(t, 0), origin.data(), pose.data());
        solver.unknowns().linearize(given.data(t, 0), pose.data(), &directions);
        const float* from = pulled.data(t, 0);
        double* to = result.mutable_data(t, 0);
        for (const rig::JointChange& change : directions.joints) {
            for (int i = 0; i < 12; ++i) to[change.direction] += change.change[i] * from[12 * change.joint + i];
        }
        for (const rig::DialChange& change : directions.dials) to[change.direction] += from[change.column];
    }
    return result;
}

/// Vertices (V, 3) at unknowns (N), relative to the pose (1, C), and their Jacobian (3 V, N).
py::tuple linearized(const PoseSolver& solver, const ArrayLike& values, const ArrayLike& reference) {
    constexpr const char* name = "linearized";
    const std::int64_t width = solver.model().character().num_controls();
    const std::int64_t count = solver.model().character().num_vertices();
    const std::int64_t n = solver.unknowns().size();
    const auto given = as_array<double, 1>(name, "values", values, "numbers (N,)");
    const auto origin = as_array<float, 2>(name, "reference", reference, "numbers (1, C)");
    check_shape<const double, 1>(name, "values", view<double, 1>(given), {n});
    check_shape<const float, 2>(name, "reference", view<float, 2>(origin), {1, width});
    Array<float> vertices({static_cast<py::ssize_t>(count), py::ssize_t{3}});
    Array<double> jacobian({static_cast<py::ssize_t>(3 * count), static_cast<py::ssize_t>(n)});
    std::vector<float> pose(static_cast<std::size_t>(width));
    rig::PoseDirections directions;
    solver.unknowns().pose(given.data(), origin.data(), pose.data());
    solver.unknowns().linearize(given.data(), pose.data(), &directions);
    const std::unique_ptr<rig::Linearization> linearization = solver.linearizer().start();
    linearization->evaluate(pose.data(), vertices.mutable_data());
    linearization->differentiate(directions, n, jacobian.mutable_data());
    return py::make_tuple(vertices, jacobian);
}

/// Goals of the arrays kinds (M,), points (M, 2, 3), barycentric (M, 2, 3), joints (M,), weights (M,) and hard (M,).
std::vector<Goal> as_goals(const py::tuple& goals) {
    constexpr const char* name = "solve";
    if (goals.size() != 6) throw bad_argument(name, "goals", "not six arrays", "six arrays");
    const auto kinds = as_indices(name, "kinds", goals[0]);
    const auto points = as_array<std::int32_t, 3>(name, "points", goals[1], "integers (M, 2, 3)");
    const auto barycentric = as_array<double, 3>(name, "barycentric", goals[2], "numbers (M, 2, 3)");
    const auto joints = as_indices(name, "joints", goals[3]);
    const auto weights = as_array<double, 1>(name, "weights", goals[4], "numbers (M,)");
    const auto hard = as_indices(name, "hard", goals[5]);
    const std::int64_t count = kinds.shape(0);
    check_shape<const std::int32_t, 3>(name, "points", view<std::int32_t, 3>(points), {count, 2, 3});
    check_shape<const double, 3>(name, "barycentric", view<double, 3>(barycentric), {count, 2, 3});
    check_shape<const std::int32_t, 1>(name, "joints", view<std::int32_t, 1>(joints), {count});
    check_shape<const double, 1>(name, "weights", view<double, 1>(weights), {count});
    check_shape<const std::int32_t, 1>(name, "hard", view<std::int32_t, 1>(hard), {count});
    std::vector<Goal> list(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        Goal& goal = list[static_cast<std::size_t>(i)];
        if (kinds.at(i) < 0 || kinds.at(i) > 3) throw bad_argument(name, "kinds", "unknown", "0 to 3");
        goal.kind = static_cast<ik::GoalKind>(kinds.at(i));
        for (int point = 0; point < 2; ++point) {
            std::copy_n(points.data(i, point, 0), 3, goal.points[point].vertices.begin());
            std::copy_n(barycentric.data(i, point, 0), 3, goal.points[point].weights.begin());
        }
        goal.joint = joints.at(i);
        goal.weight = weights.at(i);
        goal.hard = hard.at(i) != 0;
    }
    return list;
}

py::tuple solve_poses(const PoseSolver& solver, const py::tuple& goals, const ArrayLike& values,
                      const ArrayLike& references, const ArrayLike& starts, const ArrayLike& preferred,
                      const ArrayLike& limits, double preference, double tolerance, std::int64_t max_iterations,
                      const IntLike& threads) {
    constexpr const char* name = "solve";
    const int num_threads = thread_count(name, threads);
    const std::vector<Goal> list = as_goals(goals);
    const auto given = as_array<double, 3>(name, "targets", values, "numbers (T, M, 9)");
    const auto reference = as_array<float, 2>(name, "start", references, "numbers (S, C)");
    const auto start = as_array<double, 2>(name, "start", starts, "numbers (S, N)");
    const auto prior = as_array<double, 2>(name, "preferred", preferred, "numbers (S, N)");
    const auto box = as_array<double, 2>(name, "bounds", limits, "numbers (N, 2)");
    const py::ssize_t frames = given.shape(0);
    const auto n = static_cast<py::ssize_t>(solver.unknowns().size());
    Array<float> poses({frames, static_cast<py::ssize_t>(solver.model().character().num_controls())});
    Array<double> unknowns({frames, n});
    Array<double> errors({frames, static_cast<py::ssize_t>(list.size())});
    Array<double> objective(frames);
    Array<std::int64_t> iterations(frames);
    Array<bool> converged(frames);
    Array<std::int8_t> at_bound({frames, n});
    const ik::PoseTask task{{list.data(), {static_cast<std::int64_t>(list.size())}},
                            view<double, 3>(given),
                            view<float, 2>(reference),
                            view<double, 2>(start),
                            view<double, 2>(prior),
                            view<double, 2>(box),
                            preference,
                            tolerance,
                            max_iterations};
    const ik::PoseResult result{
        writable<float, 2>(poses),         writable<double, 2>(unknowns),         writable<double, 2>(errors),
        writable<double, 1>(objective),    writable<std::int64_t, 1>(iterations), writable<bool, 1>(converged),
        writable<std::int8_t, 2>(at_bound)};
    {
        const ReleasedGil released;
        solver.solve(task, result, num_threads);
    }
    return py::make_tuple(poses, unknowns, errors, objective, iterations, converged, at_bound);
}

}  // namespace

void bind_ik_goals(py::module_& module) {
    py::class_<PoseSolver>(module, "PoseSolver",
                           "Inverse kinematics of a model by damped least squares; rigcast.ik.Solver is its public\n"
                           "face. Immutable and thread-safe.")
        .def(py::init(&make_solver), py::arg("model").none(false), py::arg("size"))
        .def_property_readonly("names", &names, "Names of the N unknowns.")
        .def_property_readonly("bounds", &bounds, "(N, 2) of the model itself.")
        .def_property_readonly("scales", &scales, "(N,) typical ranges, positive.")
        .def_property_readonly("size", &PoseSolver::size)
        .def_property_readonly(
            "are_channels", [](const PoseSolver& solver) { return solver.unknowns().are_channels(); },
            "True if the unknowns are the channels of the model.")
        .def("from_poses", &from_poses, py::arg("poses"), py::arg("references"),
             "Unknowns (T, N) of poses (T, C), relative to the poses (1, C) or (T, C).")
        .def("poses", &to_poses, py::arg("values"), py::arg("references"),
             "Poses (T, C) of unknowns (T, N), relative to the pose (1, C).")
        .def_property_readonly("rest", &rest_of, "The rest pose (1, C) and its unknowns (1, N), relative to it.")
        .def("poses_vjp", &poses_vjp, py::arg("values"), py::arg("reference"), py::arg("gradients"),
             "Gradients (T, N) of unknowns from gradients (T, C) of their poses, relative to the pose (1, C).")
        .def("linearized", &linearized, py::arg("values"), py::arg("reference"),
             "Vertices (V, 3) at unknowns (N,), relative to the pose (1, C), and their Jacobian (3 V, N).")
        .def("solve", &solve_poses, py::arg("goals"), py::arg("values"), py::arg("references"), py::arg("starts"),
             py::arg("preferred"), py::arg("bounds"), py::arg("preference"), py::arg("tolerance"),
             py::arg("max_iterations"), py::arg("threads") = 0,
             "Poses (T, C), unknowns (T, N), errors (T, M), objective, iterations, converged (T,) and at_bound (T, N)\n"
             "int8 of targets `values` (T, M, 9). `goals`: kinds (M,), vertices (M, 2, 3), barycentric weights\n"
             "(M, 2, 3), joints (M,), weights (M,), hard (M,). Bounds (0, 2): the model's own, widened to the start.");
    module.attr("IK_LEVER") = PoseSolver::lever;
    bind_face_ik(module);
}

}  // namespace rigcast::bindings
