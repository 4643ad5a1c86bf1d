#include <memory>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/linalg/dense_products.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"

namespace rigcast::bindings {
namespace {

using linalg::SparseCholesky;

std::unique_ptr<SparseCholesky> make_cholesky(const ArrayLike& rows, const ArrayLike& columns, const ArrayLike& values,
                                              std::int64_t n) {
    const auto r = as_indices("SparseCholesky", "rows", rows);
    const auto c = as_indices("SparseCholesky", "cols", columns);
    const auto v = as_array<double, 1>("SparseCholesky", "values", values, "numbers (M,)");
    const ReleasedGil released;
    return std::make_unique<SparseCholesky>(n, view<std::int32_t, 1>(r), view<std::int32_t, 1>(c), view<double, 1>(v));
}

Array<double> solve_sparse(const SparseCholesky& cholesky, const ArrayLike& rhs, const IntLike& threads) {
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
    const ReleasedGil released;
    cholesky.solve(in, out, num_threads);
    return solution;
}

template <class T>
Array<T> product(const py::handle& a, const py::handle& b, int threads) {
    const auto left = as_array<T, 2>("matrix_product", "a", a, "numbers (N, K)");
    const auto right = as_array<T, 2>("matrix_product", "b", b, "numbers (K, M)");
    Array<T> out(std::vector<py::ssize_t>{left.shape(0), right.shape(1)});
    const View<T, 2> result = writable<T, 2>(out);
    const ReleasedGil released;
    linalg::multiply(view<T, 2>(left), view<T, 2>(right), result, threads);
    return out;
}

/// float32 if both are, else float64.
py::array matrix_product(const ArrayLike& a, const ArrayLike& b, const IntLike& threads) {
    const int num_threads = thread_count("matrix_product", threads);
    const auto is_single = [](const py::handle& array) { return py::isinstance<py::array_t<float>>(array); };
    if (is_single(a) && is_single(b)) return product<float>(a, b, num_threads);
    return product<double>(a, b, num_threads);
}

Array<double> solve_positive_definite(const ArrayLike& matrix, const ArrayLike& rhs, const IntLike& threads) {
    constexpr const char* name = "solve_positive_definite";
    const int num_threads = thread_count(name, threads);
    const auto given = as_array<double, 2>(name, "matrix", matrix, "numbers (N, N)");
    const auto right = as_array<double, 2>(name, "rhs", rhs, "numbers (N, M)");
    Array<double> solution = copy(view<double, 2>(right));
    const View<double, 2> x = writable<double, 2>(solution);
    const ReleasedGil released;
    linalg::solve_positive_definite(view<double, 2>(given), x, num_threads);
    return solution;
}

}  // namespace

void bind_linalg(py::module_& module) {
    module.def("matrix_product", &matrix_product, py::arg("a"), py::arg("b"), py::kw_only(), py::arg("threads") = 0,
               "a b (N, M) of a (N, K) and b (K, M): float32 if both are, else float64. The same bytes for any number\n"
               "of threads.");
    module.def("solve_positive_definite", &solve_positive_definite, py::arg("matrix"), py::arg("rhs"), py::kw_only(),
               py::arg("threads") = 0,
               "The solution (N, M) of matrix x = rhs in float64 by a Cholesky factorization: the same bytes for any\n"
               "number of threads. NumericalError if the matrix (N, N) is not positive definite.");
    py::class_<SparseCholesky>(
        module, "SparseCholesky",
        "Sparse Cholesky factorization of a symmetric positive definite matrix: factorize once,\n"
        "solve for many right-hand sides. Immutable and thread-safe.")
        .def(
            py::init(&make_cholesky), py::arg("rows"), py::arg("cols"), py::arg("values"), py::arg("n"),
            "Factorize the n x n matrix with the triplets rows, cols and values (M,): both triangles, in any order;\n"
            "triplets of one entry are summed. ValueError if the matrix is not symmetric, NumericalError if it is not\n"
            "positive definite.")
        .def_property_readonly("n", &SparseCholesky::size)
        .def("solve", &solve_sparse, py::arg("rhs"), py::kw_only(), py::arg("threads") = 0,
             "The solution of A x = rhs in float64, shaped as rhs: (n,) or (n, M).")
        .def(
            "inverse_diagonal",
            [](const SparseCholesky& cholesky) {
                Array<double> diagonal(cholesky.size());
                const auto out = writable<double, 1>(diagonal);
                const ReleasedGil released;
                cholesky.inverse_diagonal(out);
                return diagonal;
            },
            "(n,) float64: the diagonal of A^-1, exactly, at about the cost of a factorization.");
}

}  // namespace rigcast::bindings
