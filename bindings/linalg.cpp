#include <memory>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/scalars.h"
#include "rigwright/core/check.h"
#include "rigwright/linalg/sparse/sparse_cholesky.h"

namespace rigwright::bindings {
namespace {

using linalg::SparseCholesky;

std::unique_ptr<SparseCholesky> make(const ArrayLike& rows, const ArrayLike& columns, const ArrayLike& values,
                                     std::int64_t n) {
    const auto r = as_indices("SparseCholesky", "rows", rows);
    const auto c = as_indices("SparseCholesky", "cols", columns);
    const auto v = as_array<double, 1>("SparseCholesky", "values", values, "numbers (M,)");
    const py::gil_scoped_release released;
    return std::make_unique<SparseCholesky>(n, view<std::int32_t, 1>(r), view<std::int32_t, 1>(c), view<double, 1>(v));
}

Array<double> solve(const SparseCholesky& cholesky, const ArrayLike& rhs, const IntLike& threads) {
    constexpr const char* must = "numbers (n,) or (n, M)";
    const int num_threads = thread_count("SparseCholesky.solve", threads);
    const py::array any = py::array::ensure(rhs);
    const bool single = any && any.ndim() == 1;
    if (!any) PyErr_Clear();
    const Array<double> given = single ? as_array<double, 1>("SparseCholesky.solve", "rhs", rhs, must)
                                       : as_array<double, 2>("SparseCholesky.solve", "rhs", rhs, must);
    Array<double> solution(std::vector<py::ssize_t>(given.shape(), given.shape() + given.ndim()));
    const std::array<std::int64_t, 2> shape{given.shape(0), single ? 1 : given.shape(1)};
    const View<const double, 2> in(given.data(), shape);
    const View<double, 2> out(solution.mutable_data(), shape);
    const py::gil_scoped_release released;
    cholesky.solve(in, out, num_threads);
    return solution;
}

}  // namespace

void bind_linalg(py::module_& module) {
    py::class_<SparseCholesky>(
        module, "SparseCholesky",
        "Sparse Cholesky factorization of a symmetric positive definite matrix: factorize once,\n"
        "solve for many right-hand sides. Immutable and thread-safe.")
        .def(
            py::init(&make), py::arg("rows"), py::arg("cols"), py::arg("values"), py::arg("n"),
            "Factorize the n x n matrix with the triplets rows, cols and values (M,): both triangles, in any order;\n"
            "triplets of one entry are summed. ValueError if the matrix is not symmetric, NumericalError if it is not\n"
            "positive definite.")
        .def_property_readonly("n", &SparseCholesky::size)
        .def("solve", &solve, py::arg("rhs"), py::kw_only(), py::arg("threads") = 0,
             "The solution of A x = rhs in float64, shaped as rhs: (n,) or (n, M).");
}

}  // namespace rigwright::bindings
