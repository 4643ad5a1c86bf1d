#include <Eigen/SparseCholesky>
#include <string>

#include "core/error.h"
#include "linalg/factor.h"

namespace rigwright::linalg {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

class EigenFactor final : public Factor {
public:
    explicit EigenFactor(const SparseMatrix& lower) {
        const Eigen::Map<const Matrix> matrix(lower.size, lower.size, static_cast<Eigen::Index>(lower.value.size()),
                                              lower.start.data(), lower.row.data(), lower.value.data());
        ldlt_.compute(matrix);
        if (ldlt_.info() != Eigen::Success) {
            throw NumericalError("SparseCholesky: the matrix is not positive definite");
        }
        const Eigen::VectorXd pivot = ldlt_.vectorD();
        check_pivots({pivot.begin(), pivot.end()}, ldlt_.permutationPinv().indices().data(), lower);
    }

    void solve(const double* rhs, std::int64_t count, double* solution) const override {
        const Eigen::Index rows = ldlt_.rows();
        Eigen::Map<Eigen::MatrixXd>(solution, rows, count) =
            ldlt_.solve(Eigen::Map<const Eigen::MatrixXd>(rhs, rows, count));
    }

private:
    Eigen::SimplicialLDLT<Matrix, Eigen::Lower> ldlt_;
};

}  // namespace

std::unique_ptr<Factor> Factor::make(const SparseMatrix& lower) {
    return std::make_unique<EigenFactor>(lower);
}

const char* Factor::backend() {
    static const std::string name = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
                                    std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION) +
                                    " SimplicialLDLT";
    return name.c_str();
}

}  // namespace rigwright::linalg
