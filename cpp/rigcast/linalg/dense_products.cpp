#include "rigcast/linalg/dense_products.h"

#include <Eigen/Dense>
#include <algorithm>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"

namespace rigcast::linalg {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstMap = Eigen::Map<const Matrix<T>>;
template <class T>
using Map = Eigen::Map<Matrix<T>>;

// Tiles of a result, fixed so that the order of sums does not depend on the threads. Chosen, not tuned.
constexpr std::int64_t rows_per_tile = 256;
constexpr std::int64_t columns_per_tile = 512;

template <class T>
void multiply_tiles(View<const T, 2> a, View<const T, 2> b, View<T, 2> out, int threads) {
    check_shape<const T, 2>("multiply", "b", b, {a.extent(1), -1});
    check_shape<T, 2>("multiply", "out", out, {a.extent(0), b.extent(1)});
    const ConstMap<T> left(a.data(), a.extent(0), a.extent(1));
    const ConstMap<T> right(b.data(), b.extent(0), b.extent(1));
    Map<T> result(out.data(), out.extent(0), out.extent(1));
    const std::int64_t across = (b.extent(1) + columns_per_tile - 1) / columns_per_tile;
    const std::int64_t down = (a.extent(0) + rows_per_tile - 1) / rows_per_tile;
    parallel_for(across * down, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
            const std::int64_t row = tile / across * rows_per_tile;
            const std::int64_t column = tile % across * columns_per_tile;
            const std::int64_t rows = std::min(rows_per_tile, a.extent(0) - row);
            const std::int64_t columns = std::min(columns_per_tile, b.extent(1) - column);
            result.block(row, column, rows, columns).noalias() =
                left.middleRows(row, rows) * right.middleCols(column, columns);
        }
    });
}

}  // namespace

void multiply(View<const double, 2> a, View<const double, 2> b, View<double, 2> out, int threads) {
    multiply_tiles(a, b, out, threads);
}

void multiply(View<const float, 2> a, View<const float, 2> b, View<float, 2> out, int threads) {
    multiply_tiles(a, b, out, threads);
}

void solve_positive_definite(View<const double, 2> matrix, View<double, 2> rhs, int threads) {
    const std::int64_t size = matrix.extent(0);
    check_shape<const double, 2>("solve_positive_definite", "matrix", matrix, {size, size});
    check_shape<double, 2>("solve_positive_definite", "rhs", rhs, {size, -1});
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> factorization(ConstMap<double>(matrix.data(), size, size));
    if (factorization.info() != Eigen::Success) {
        throw NumericalError("solve_positive_definite: the matrix is not positive definite");
    }
    Map<double> all(rhs.data(), size, rhs.extent(1));
    constexpr std::int64_t columns_per_solve = 64;
    const std::int64_t solves = (rhs.extent(1) + columns_per_solve - 1) / columns_per_solve;
    parallel_for(solves, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t first = i * columns_per_solve;
            const std::int64_t columns = std::min(columns_per_solve, rhs.extent(1) - first);
            Eigen::MatrixXd x = all.middleCols(first, columns);
            factorization.solveInPlace(x);
            all.middleCols(first, columns) = x;
        }
    });
}

}  // namespace rigcast::linalg
