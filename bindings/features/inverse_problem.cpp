#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/inverse/problem.h"
#include "rigcast/inverse/rig_gram.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::bindings {
namespace {

using inverse::Problem;
using inverse::RigGram;

/// A read-only array of a problem's own numbers, which keeps the problem alive.
template <class T, int Rank>
Array<T> shared_array(const py::object& owner, View<const T, Rank> numbers) {
    const std::vector<py::ssize_t> shape(numbers.extents().begin(), numbers.extents().end());
    Array<T> array(shape, numbers.data(), owner);
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

/// A property of InverseProblem.
template <class T, int Rank>
auto numbers_of(View<const T, Rank> (Problem::*get)() const) {
    return [get](const py::object& self) { return shared_array(self, (self.cast<const Problem&>().*get)()); };
}

/// Numbers (T, K) that may be missing, kept alive.
struct OptionalNumbers {
    Array<double> array;
    bool is_given;

    OptionalNumbers(const char* argument, const OptionalArray& object)
        : array(object.is_none() ? Array<double>() : as_array<double, 2>("solve", argument, object, "numbers (T, K)")),
          is_given(!object.is_none()) {}
    View<const double, 2> numbers() const { return is_given ? view<double, 2>(array) : View<const double, 2>(); }
};

inverse::ProjectedTargets read_projected(const py::tuple& projected) {
    if (projected.size() != 2) throw bad_argument("solve", "projected", "not two arrays", "two arrays");
    const auto projections = as_array<double, 2>("solve", "projections", projected[0], "numbers (T, N)");
    const auto energies = as_array<double, 1>("solve", "energies", projected[1], "numbers (T,)");
    return {{projections.data(), projections.data() + projections.size()},
            {energies.data(), energies.data() + energies.size()}};
}

/// Targets as an array, or the shape (T, V, 3) of targets that are elsewhere: they have been projected.
struct GivenTargets {
    Array<float> array{};
    View<const float, 3> shot{};

    GivenTargets(const py::object& targets, bool is_projected) {
        if (is_projected && py::isinstance<py::tuple>(targets)) {
            shot = View<const float, 3>(nullptr, targets.cast<std::array<std::int64_t, 3>>());
            return;
        }
        array = as_array<float, 3>("solve", "targets", targets, "numbers (T, V, 3) or (T, M, 3)");
        shot = view<float, 3>(array);
    }
};

std::unique_ptr<Problem> make_problem(const RigGram& gram, const py::object& targets, double alpha, double smoothness,
                                      const OptionalArray& bounds, const OptionalArray& fixed,
                                      const OptionalArray& prior_target, const OptionalArray& prior_strength,
                                      const std::vector<std::array<std::int32_t, 2>>& symmetric,
                                      const OptionalArray& init, const std::optional<py::tuple>& projected,
                                      const IntLike& threads) {
    const int num_threads = thread_count("solve", threads);
    const GivenTargets vertices(targets, projected.has_value());
    const OptionalNumbers box("bounds", bounds);
    const OptionalNumbers pins("fixed", fixed);
    const OptionalNumbers target("prior_target", prior_target);
    const OptionalNumbers strength("prior_strength", prior_strength);
    const OptionalNumbers start("init", init);
    const inverse::ShotTargets shot{vertices.shot,      alpha,          smoothness,
                                    box.numbers(),      pins.numbers(), target.numbers(),
                                    strength.numbers(), symmetric,      start.numbers()};
    if (projected) return std::make_unique<Problem>(gram, shot, read_projected(*projected));
    const ReleasedGil released;
    return std::make_unique<Problem>(gram, shot, num_threads);
}

Problem with_targets(const Problem& problem, const RigGram& gram, const ArrayLike& targets,
                     const std::optional<py::tuple>& projected, const IntLike& threads) {
    const int num_threads = thread_count("solve", threads);
    const auto vertices = as_array<float, 3>("solve", "targets", targets, "numbers (T, V, 3) or (T, M, 3)");
    const auto in = view<float, 3>(vertices);
    if (projected) return problem.with_targets(gram, in, read_projected(*projected));
    const ReleasedGil released;
    return problem.with_targets(gram, in, num_threads);
}

Problem at(const Problem& problem, const ArrayLike& frames) {
    const auto rows = as_array<std::int64_t, 1>("at", "frames", frames, "integers (T,)");
    return problem.at({rows.data(), static_cast<std::size_t>(rows.size())});
}

Problem starting_at(const Problem& problem, const OptionalArray& init) {
    return problem.starting_at(OptionalNumbers("init", init).numbers());
}

Problem resting(const Problem& problem, const std::vector<bool>& shapes) {
    if (static_cast<std::int64_t>(shapes.size()) != problem.num_shapes()) {
        throw bad_argument("resting", "shapes", std::to_string(shapes.size()) + " truth values",
                           std::to_string(problem.num_shapes()));
    }
    const std::vector<char> chosen(shapes.begin(), shapes.end());
    return problem.resting(chosen);
}

Array<double> start(const Problem& problem) {
    const std::vector<double> numbers = problem.start();
    return copy<double, 2>({numbers.data(), {problem.num_frames(), problem.num_shapes()}});
}

py::tuple terms(const py::object& self) {
    const optimize::Shot shot = self.cast<const Problem&>().shot();
    return py::make_tuple(shared_array(self, shot.projections), shared_array(self, shot.linear),
                          shared_array(self, shot.quadratic), shared_array(self, shot.lower),
                          shared_array(self, shot.upper));
}

py::tuple vertices_alone(const py::object& self) {
    const optimize::Shot shot = self.cast<const Problem&>().vertices_alone();
    return py::make_tuple(shared_array(self, shot.projections), shared_array(self, shot.linear),
                          shared_array(self, shot.quadratic), shared_array(self, shot.lower),
                          shared_array(self, shot.upper));
}

Array<double> list(const std::vector<double>& values) {
    return Array<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Measures weights, from the vertices' term that a device measured if it is given.
py::tuple measure(const Problem& problem, const RigGram& gram, const ArrayLike& weights, bool causal,
                  const std::optional<py::tuple>& vertices, const IntLike& threads) {
    constexpr const char* name = "measure";
    const int num_threads = thread_count(name, threads);
    const auto given = as_array<double, 2>(name, "weights", weights, "numbers (T, K)");
    const auto points = view<double, 2>(given);
    inverse::WeightQuality quality;
    if (vertices) {
        if (vertices->size() != 3) throw bad_argument(name, "vertices", "not three arrays", "three arrays");
        auto fidelity = as_array<double, 1>(name, "vertices", (*vertices)[0], "numbers (T,)");
        auto right = as_array<double, 2>(name, "vertices", (*vertices)[1], "numbers (T, K)");
        auto left = as_array<double, 2>(name, "vertices", (*vertices)[2], "numbers (T, K)");
        const std::int64_t frames = problem.num_frames();
        check_shape<const double, 1>(name, "vertices", view<double, 1>(fidelity), {frames});
        for (const Array<double>* slopes : {&right, &left}) {
            check_shape<const double, 2>(name, "vertices", view<double, 2>(*slopes), {frames, problem.num_shapes()});
        }
        quality = problem.measure(
            gram, points, {writable<double, 1>(fidelity), writable<double, 2>(right), writable<double, 2>(left)},
            causal);
    } else {
        const ReleasedGil released;
        quality = problem.measure(gram, points, causal, num_threads);
    }
    const py::object gap = quality.gap.empty() ? py::object(py::none()) : py::object(list(quality.gap));
    return py::make_tuple(list(quality.objective), list(quality.optimality), list(quality.rmse), gap);
}

double resting_alpha(const Problem& problem, const RigGram& gram, const IntLike& threads) {
    const int num_threads = thread_count("resting_alpha", threads);
    const ReleasedGil released;
    return problem.resting_alpha(gram, num_threads);
}

}  // namespace

void bind_inverse_problem(py::module_& module) {
    py::class_<Problem>(module, "InverseProblem",
                        "The problem of a shot's weights: projected targets, box, ties, priors, alpha, smoothness.\n"
                        "Immutable and thread-safe; problems made from it share its arrays. Functions take the\n"
                        "InverseGram that it was made with.")
        .def(py::init(&make_problem), py::arg("gram").none(false), py::arg("targets"), py::kw_only(), py::arg("alpha"),
             py::arg("smoothness") = 0.0, py::arg("bounds") = py::none(), py::arg("fixed") = py::none(),
             py::arg("prior_target") = py::none(), py::arg("prior_strength") = py::none(),
             py::arg("symmetric") = std::vector<std::array<std::int32_t, 2>>(), py::arg("init") = py::none(),
             py::arg("projected") = py::none(), py::arg("threads") = 0,
             "Targets (T, V, 3) or (T, M, 3); bounds (K, 2); fixed, priors and init (T, K); pairs of shapes.\n"
             "projected: projections (T, N) and energies (T,) that a device made; targets may then be a shape\n"
             "(T, V, 3) of targets that are elsewhere.")
        .def_property_readonly("alpha", &Problem::alpha)
        .def_property_readonly("smoothness", &Problem::smoothness)
        .def_property_readonly("projections", numbers_of(&Problem::projections), "(T, N)")
        .def_property_readonly("energies", numbers_of(&Problem::energies), "(T,)")
        .def_property_readonly("lower", numbers_of(&Problem::lower), "(T, K)")
        .def_property_readonly("upper", numbers_of(&Problem::upper), "(T, K)")
        .def_property_readonly("linear", numbers_of(&Problem::linear), "(T, K), of the shapes")
        .def_property_readonly("prior_target", numbers_of(&Problem::prior_target), "(T, K)")
        .def_property_readonly("prior_strength", numbers_of(&Problem::prior_strength), "(T, K)")
        .def_property_readonly("ties", numbers_of(&Problem::ties), "(K,): the shape whose weight each shape copies")
        .def_property_readonly(
            "init",
            [](const py::object& self) -> std::optional<Array<double>> {
                const auto numbers = self.cast<const Problem&>().init();
                return numbers.data() == nullptr ? std::nullopt : std::optional(shared_array(self, numbers));
            },
            "(T, K), or None")
        .def_property_readonly("start", &start, "(T, K): init, or the point of the box nearest to 0")
        .def_property_readonly("terms", &terms,
                               "projections (T, N), linear, quadratic, lower, upper (T, K) of the variables")
        .def_property_readonly("vertices_alone", &vertices_alone, "terms without alpha and priors")
        .def_property_readonly(
            "scale", [](const Problem& problem) { return list(problem.scale()); },
            "(T,): what a tolerance is relative to")
        .def_property_readonly("least_pull", &Problem::least_pull, "The pull of a target at rest, at most.")
        .def_property_readonly("largest_strength", &Problem::largest_strength,
                               "The largest alpha or smoothness whose terms do not overflow.")
        .def("resting_alpha", &resting_alpha, py::arg("gram"), py::arg("threads") = 0,
             "The smallest alpha at which every weight rests.")
        .def("measure", &measure, py::arg("gram"), py::arg("weights"), py::arg("causal") = false,
             py::arg("vertices") = py::none(), py::arg("threads") = 0,
             "Objective, optimality, rmse (T,), and duality gap (T,) or None, of weights (T, K). vertices: value and\n"
             "slopes of vertices_alone that a device measured.")
        .def(
            "weight_terms",
            [](const Problem& problem, const ArrayLike& weights) {
                const auto given = as_array<double, 2>("weight_terms", "weights", weights, "numbers (T, K)");
                return list(problem.weight_terms(view<double, 2>(given)));
            },
            py::arg("weights"), "(T,): alpha and the priors' terms of weights (T, K).")
        .def("at", &at, py::arg("frames"), "The same problem for some frames.")
        .def("with_alpha", &Problem::with_alpha, py::arg("alpha"))
        .def("with_smoothness", &Problem::with_smoothness, py::arg("smoothness"))
        .def("without_priors", &Problem::without_priors)
        .def("starting_at", &starting_at, py::arg("init"))
        .def("resting", &resting, py::arg("shapes"), "The same problem with shapes (K,) at rest.")
        .def("with_targets", &with_targets, py::arg("gram"), py::arg("targets"), py::arg("projected") = py::none(),
             py::arg("threads") = 0, "The same problem for other targets.");
}

}  // namespace rigcast::bindings
