#include <numeric>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "rigwright/core/check.h"
#include "rigwright/optimize/simplex_least_squares.h"

namespace rigwright::bindings {
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

}  // namespace

void bind_optimize(py::module_& module) {
    module.def("simplex_least_squares", &simplex_least_squares, py::arg("gram"),
               "Weights (N,) float64 >= 0 with sum 1 that minimize w^T D w, and a report: value, gap (the value\n"
               "exceeds the optimum by at most twice the gap), iterations, converged. D (N, N) is symmetric and\n"
               "positive semidefinite: D_ij = (a_i - b) . (a_j - b) for min |sum_i w_i a_i - b|.");
}

}  // namespace rigwright::bindings
