#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <vector>

#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/features/synthesis.h"
#include "rigcast/core/check.h"
#include "rigcast/synthesis/latent/fit_latent_space.h"

namespace rigcast::bindings {
namespace {

using synthesis::FittedLatentSpace;
using synthesis::LatentObjective;
using synthesis::LatentTerms;

std::vector<synthesis::Segment> as_segments(const char* function, const ArrayLike& segments) {
    const auto given = as_array<std::int64_t, 2>(function, "segments", segments, "integers (S, 2)");
    check_shape<const std::int64_t, 2>(function, "segments", view<std::int64_t, 2>(given), {-1, 2});
    std::vector<synthesis::Segment> list;
    for (py::ssize_t i = 0; i < given.shape(0); ++i) list.emplace_back(given.at(i, 0), given.at(i, 1));
    return list;
}

Array<double> number_array(const std::vector<double>& numbers) {
    return copy(View<const double, 1>(numbers.data(), {static_cast<std::int64_t>(numbers.size())}));
}

/// Takes turns: LatentObjective has working memory of its own.
class SharedObjective {
public:
    SharedObjective(Array<double> values, std::int64_t dimension, const std::vector<synthesis::Segment>& segments,
                    const LatentTerms& terms, int threads)
        : values_(std::move(values)), objective_(view<double, 2>(values_), dimension, segments, terms, threads) {}

    std::int64_t num_unknowns() const { return objective_.num_unknowns(); }

    Array<double> start(const ArrayLike& points) const {
        const auto given = as_array<double, 2>("LatentObjective.start", "points", points, "numbers (N, D)");
        check_shape<const double, 2>("LatentObjective.start", "points", view<double, 2>(given),
                                     {values_.shape(0), objective_.dimension()});
        return number_array(objective_.start(view<double, 2>(given)));
    }

    py::tuple evaluate(const ArrayLike& unknowns) {
        const auto given = as_array<double, 1>("LatentObjective.evaluate", "unknowns", unknowns, "numbers (U,)");
        check_shape<const double, 1>("LatentObjective.evaluate", "unknowns", view<double, 1>(given), {num_unknowns()});
        check_finite("LatentObjective.evaluate", "unknowns", view<double, 1>(given));
        Array<double> gradient(given.shape(0));
        double* out = gradient.mutable_data();
        double value = 0.0;
        {
            const ReleasedGil released;
            const std::lock_guard turn(mutex_);
            const auto count = static_cast<std::size_t>(given.shape(0));
            value = objective_.evaluate({given.data(), count}, {out, count});
        }
        return py::make_tuple(value, gradient);
    }

private:
    Array<double> values_;
    LatentObjective objective_;
    std::mutex mutex_;
};

std::unique_ptr<SharedObjective> make_latent_objective(const ArrayLike& values, std::int64_t dimension,
                                                       const ArrayLike& segments, std::int64_t inducing, bool dynamics,
                                                       bool connectivity, double dynamics_length, double dynamics_noise,
                                                       double connectivity_weight, std::int64_t connectivity_frames,
                                                       const IntLike& threads) {
    constexpr const char* name = "LatentObjective";
    const int num_threads = thread_count(name, threads);
    auto y = as_array<double, 2>(name, "values", values, "numbers (N, P)");
    check_finite(name, "values", view<double, 2>(y));
    if (dimension < 1) throw bad_argument(name, "dimension", std::to_string(dimension), "1 or more");
    return std::make_unique<SharedObjective>(copy(view<double, 2>(y)), dimension, as_segments(name, segments),
                                             LatentTerms{inducing, dynamics, connectivity, dynamics_length,
                                                         dynamics_noise, connectivity_weight, connectivity_frames},
                                             num_threads);
}

synthesis::LatentMethod as_method(const std::string& method) {
    if (method == "lbfgs") return synthesis::LatentMethod::lbfgs;
    if (method == "scg") return synthesis::LatentMethod::scaled_conjugate_gradients;
    throw bad_argument("fit_latent_space", "method", "'" + method + "'", "'lbfgs' or 'scg'");
}

std::unique_ptr<FittedLatentSpace> fit_latent(const ArrayLike& values, const ArrayLike& segments,
                                              const ArrayLike& start, std::int64_t inducing, bool dynamics,
                                              bool connectivity, const std::string& method, std::int64_t iterations,
                                              double tolerance, std::int64_t starts, std::uint64_t seed,
                                              double dynamics_length, double dynamics_noise, double connectivity_weight,
                                              std::int64_t connectivity_frames, const IntLike& threads,
                                              const StepCallback& progress) {
    constexpr const char* name = "fit_latent_space";
    const auto y = as_array<double, 2>(name, "values", values, "numbers (N, P)");
    const auto x = as_array<double, 2>(name, "start", start, "numbers (N, D)");
    const auto list = as_segments(name, segments);
    const LatentTerms terms{
        inducing, dynamics, connectivity, dynamics_length, dynamics_noise, connectivity_weight, connectivity_frames};
    synthesis::LatentFitOptions options{as_method(method),           iterations, tolerance, starts, seed,
                                        thread_count(name, threads), {}};
    options.report = [&progress](std::int64_t iteration, double objective) {
        run_signal_handlers();
        const py::gil_scoped_acquire acquired;
        if (!progress.is_none()) progress(iteration, objective);
    };
    const ReleasedGil released;
    return std::make_unique<FittedLatentSpace>(
        synthesis::fit_latent_space(view<double, 2>(y), list, view<double, 2>(x), terms, options));
}

void bind_latent_objective(py::module_& module) {
    py::class_<SharedObjective>(
        module, "LatentObjective",
        "-log p(values, points): what fit_latent_space minimizes, with its gradient. Unknowns (U,): points (N, D),\n"
        "inducing points (M, D), log variance, log length, log(noise - floor); the floor is 1e-6 of the values' mean\n"
        "square.")
        .def(py::init(&make_latent_objective), py::arg("values"), py::arg("dimension"), py::arg("segments"),
             py::kw_only(), py::arg("inducing") = 0, py::arg("dynamics") = true, py::arg("connectivity") = true,
             py::arg("dynamics_length") = LatentTerms().dynamics_length,
             py::arg("dynamics_noise") = LatentTerms().dynamics_noise,
             py::arg("connectivity_weight") = LatentTerms().connectivity_weight,
             py::arg("connectivity_frames") = LatentTerms().connectivity_frames, py::arg("threads") = 0,
             "values (N, P), segments (S, 2): frames [begin, end) of each clip, in order, all of them.")
        .def_property_readonly("num_unknowns", &SharedObjective::num_unknowns)
        .def("start", &SharedObjective::start, py::arg("points"), "Unknowns (U,) for points (N, D).")
        .def("evaluate", &SharedObjective::evaluate, py::arg("unknowns"),
             "The value, and its gradient (U,); infinity if a covariance is not positive definite.");
}

}  // namespace

void bind_latent_fit(py::module_& module) {
    bind_latent_objective(module);
    py::class_<FittedLatentSpace>(module, "FittedLatentSpace", "What fit_latent_space found.")
        .def_property_readonly(
            "space",
            [](const FittedLatentSpace& fitted) { return std::make_shared<synthesis::LatentSpace>(fitted.space); })
        .def_property_readonly(
            "objective", [](const FittedLatentSpace& fitted) { return number_array(fitted.objective); },
            "(iterations + 1,): the negative log posterior at the best start and after each of its iterations.")
        .def_property_readonly(
            "seconds", [](const FittedLatentSpace& fitted) { return number_array(fitted.seconds); },
            "(iterations + 1,): since the fit began.")
        .def_property_readonly(
            "start_objectives", [](const FittedLatentSpace& fitted) { return number_array(fitted.start_objectives); },
            "(starts,): the negative log posterior at the end of each start.")
        .def_property_readonly("iterations",
                               [](const FittedLatentSpace& fitted) { return fitted.objective.size() - 1; })
        .def_readonly("converged", &FittedLatentSpace::converged);
    module.def(
        "fit_latent_space", &fit_latent, py::arg("values"), py::arg("segments"), py::arg("start"), py::kw_only(),
        py::arg("inducing") = 0, py::arg("dynamics") = true, py::arg("connectivity") = true,
        py::arg("method") = "lbfgs", py::arg("iterations") = 200, py::arg("tolerance") = 1e-6, py::arg("starts") = 1,
        py::arg("seed") = 0, py::arg("dynamics_length") = LatentTerms().dynamics_length,
        py::arg("dynamics_noise") = LatentTerms().dynamics_noise,
        py::arg("connectivity_weight") = LatentTerms().connectivity_weight,
        py::arg("connectivity_frames") = LatentTerms().connectivity_frames, py::arg("threads") = 0,
        py::arg("progress") = py::none(),
        "Latent points and kernel for values (N, P) of clips `segments` (S, 2), frames [begin, end), from points "
        "start\n"
        "(N, D): the maximum of likelihood, dynamics prior (Lawrence and Moore 2007) and connectivity prior (Levine "
        "et\n"
        "al. 2012), by 'lbfgs' or 'scg' (Moller 1993). inducing: number of inducing points, 0 for the exact process.\n"
        "starts: the given one and perturbed ones; the best is returned. dynamics_length in frames. progress is "
        "called\n"
        "with the iteration, counted over all starts, and the negative log posterior. The same bytes for any number "
        "of\n"
        "threads.");
}

}  // namespace rigcast::bindings
