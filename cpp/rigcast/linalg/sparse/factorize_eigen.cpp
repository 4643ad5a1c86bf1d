#include <Eigen/SparseCholesky>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/linalg/sparse/factorization.h"

namespace rigcast::linalg {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

Factorization factorize(const SparseMatrix& lower) {
    const Eigen::Map<const Matrix> matrix(lower.size, lower.size, static_cast<Eigen::Index>(lower.value.size()),
                                          lower.start.data(), lower.row.data(), lower.value.data());
    const Eigen::SimplicialLLT<Matrix, Eigen::Lower> cholesky(matrix);
    if (cholesky.info() != Eigen::Success) {
        throw NumericalError("SparseCholesky: the matrix is not positive definite");
    }
    const Matrix& result = cholesky.matrixL().nestedExpression();
    const auto& order = cholesky.permutationPinv().indices();
    const std::size_t entries = static_cast<std::size_t>(result.nonZeros());
    return {{order.begin(), order.end()},
            {lower.size,
             {result.outerIndexPtr(), result.outerIndexPtr() + lower.size + 1},
             {result.innerIndexPtr(), result.innerIndexPtr() + entries},
             {result.valuePtr(), result.valuePtr() + entries}}};
}

}  // namespace

const Backend& eigen_backend() {
    static const Backend eigen{factorize, "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
                                              std::to_string(EIGEN_MAJOR_VERSION) + "." +
                                              std::to_string(EIGEN_MINOR_VERSION) + " SimplicialLLT"};
    return eigen;
}

}  // namespace rigcast::linalg
