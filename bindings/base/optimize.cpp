#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <numeric>
#include <span>
#include <string>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "rigcast/core/check.h"
#include "rigcast/optimize/simplex_least_squares.h"
#include "rigcast/optimize/smooth/lbfgs.h"
#include "rigcast/optimize/smooth/scaled_conjugate_gradients.h"

namespace rigcast::bindings {
namespace {

py::tuple simplex_least_squares(const ArrayLike& gram) {
    constexpr const char* name = "simplex_least_squares";
    const auto matrix = as_array<double, 2>(name, "gram", gram, "numbers (N, N)");
    const std::int64_t count = matrix.shape(0);
    check_shape<const double, 2>(name, "gram", view<double, 2>(matrix), {-1, count});
    check_finite(name, "gram", view<double, 2>(matrix));
    if (count == 0) throw bad_argument(name, "gram", "empty", "at least 1 x 1");
    std::vector<int> columns(count);
    std::iota(columns.begin(), columns.end(), 0);
    Array<double> weights(count);
    const optimize::SimplexReport report =
        optimize::SimplexLeastSquares().solve(view<double, 2>(matrix), columns, weights.mutable_data());
    py::dict summary;
    summary["value"] = report.value;
    summary["gap"] = report.gap;
    summary["iterations"] = report.iterations;
    summary["converged"] = report.converged;
    return py::make_tuple(weights, summary);
}

using ObjectiveFunction = py::typing::Callable<py::tuple(py::array)>;

py::tuple minimize_smooth(const ObjectiveFunction& function, const ArrayLike& start, const std::string& method,
                          std::int64_t iterations, double tolerance, double gradient_tolerance) {
    constexpr const char* name = "minimize_smooth";
    if (method != "lbfgs" && method != "scg") {
        throw bad_argument(name, "method", "'" + method + "'", "'lbfgs' or 'scg'");
    }
    const auto given = as_array<double, 1>(name, "start", start, "numbers (N,)");
    check_finite(name, "start", view<double, 1>(given));
    Array<double> x = copy(view<double, 1>(given));
    const auto size = static_cast<std::size_t>(x.shape(0));
    const optimize::SmoothFunction f = [&](std::span<const double> at, std::span<double> gradient) {
        const auto count = static_cast<std::int64_t>(at.size());
        const py::tuple result = py::cast<py::tuple>(function(copy(View<const double, 1>(at.data(), {count}))));
        const auto slope = as_array<double, 1>(name, "gradient", result[1], "numbers (N,)");
        check_shape<const double, 1>(name, "gradient", view<double, 1>(slope), {count});
        std::copy_n(slope.data(), count, gradient.begin());
        return py::cast<double>(result[0]);
    };
    const optimize::MinimizationOptions options{iterations, tolerance, gradient_tolerance, {}};
    const std::span<double> unknowns(x.mutable_data(), size);
    const optimize::MinimizationReport report =
        method == "lbfgs" ? optimize::minimize_lbfgs(f, unknowns, options)
                          : optimize::minimize_scaled_conjugate_gradients(f, unknowns, options);
    py::dict summary;
    summary["values"] = report.values;
    summary["evaluations"] = report.evaluations;
    summary["converged"] = report.converged;
    return py::make_tuple(x, summary);
}

}  // namespace

void bind_optimize(py::module_& module) {
    module.def("simplex_least_squares", &simplex_least_squares, py::arg("gram"),
               "Weights (N,) float64 >= 0 with sum 1 that minimize w^T D w, and a report: value, gap (the value\n"
               "exceeds the optimum by at most twice the gap), iterations, converged. D (N, N) is symmetric and\n"
               "positive semidefinite: D_ij = (a_i - b) . (a_j - b) for min |sum_i w_i a_i - b|.");
    module.def(
        "minimize_smooth", &minimize_smooth, py::arg("function"), py::arg("start"), py::kw_only(),
        py::arg("method") = "lbfgs", py::arg("iterations") = 200, py::arg("tolerance") = 1e-7,
        py::arg("gradient_tolerance") = 0.0,
        "x (N,) where function(x) = (value, gradient (N,)) is smallest, from `start`, by 'lbfgs' (Liu and Nocedal\n"
        "1989) or 'scg' (scaled conjugate gradients, Moller 1993), and a report: values (at the start and after\n"
        "each iteration), evaluations, converged. The value never rises.");
}

}  // namespace rigcast::bindings
