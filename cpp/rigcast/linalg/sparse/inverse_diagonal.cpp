#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/interruption.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/linalg/sparse/supernodes.h"

namespace rigcast::linalg {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The entries of Z = (L L^T)^-1 at the places of L, node after node from the last to the first (Takahashi, Fagan and
/// Chen 1973). For a supernode with the columns J and the rows R below them, and Y = L_RJ L_JJ^-1:
///   Z_RJ = -Z_RR Y,   Z_JJ = (L_JJ L_JJ^T)^-1 - Y^T Z_RJ.
/// Z_RR is known: any two rows of R are a place of L, in the column of the lower one.
class SelectedInverse {
public:
    explicit SelectedInverse(const Supernodes& lower) : lower_(lower), node_of_(lower.size()) {
        const auto& nodes = lower.supernodes();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            std::fill_n(node_of_.begin() + nodes[i].first_column, nodes[i].num_columns, static_cast<std::int32_t>(i));
        }
        block_.resize(nodes.size());
        for (std::size_t i = nodes.size(); i-- > 0;) {
            check_interruption();
            add(i);
        }
    }

    double diagonal(std::int32_t row) const {
        const std::int32_t c = row - lower_.supernodes()[node_of_[row]].first_column;
        return block_[node_of_[row]](c, c);
    }

private:
    void add(std::size_t index) {
        const Supernodes::Supernode& node = lower_.supernodes()[index];
        const Eigen::Map<const Matrix> values(lower_.values(node), node.num_columns + node.num_below, node.num_columns);
        Matrix triangle = values.topRows(node.num_columns);
        triangle.diagonal() = triangle.diagonal().cwiseInverse().eval();  // stored as 1 / L(c, c)
        const Matrix inverse =
            triangle.triangularView<Eigen::Lower>().solve(Matrix::Identity(node.num_columns, node.num_columns));
        Matrix& block = block_[index];
        block.resize(node.num_columns + node.num_below, node.num_columns);
        block.topRows(node.num_columns).noalias() = inverse.transpose() * inverse;
        if (node.num_below == 0) return;
        const Matrix y = values.bottomRows(node.num_below) * inverse;
        block.bottomRows(node.num_below).noalias() = -(below(node) * y);
        block.topRows(node.num_columns).noalias() -= y.transpose() * block.bottomRows(node.num_below);
    }

    /// Z_RR of a node.
    Matrix below(const Supernodes::Supernode& node) const {
        const std::int32_t* rows = lower_.rows_below(node);
        Matrix z(node.num_below, node.num_below);
        for (std::int32_t k = 0; k < node.num_below; ++k) {
            const std::size_t index = static_cast<std::size_t>(node_of_[rows[k]]);
            const Supernodes::Supernode& other = lower_.supernodes()[index];
            const std::int32_t column = rows[k] - other.first_column;
            const std::int32_t end = other.first_column + other.num_columns;
            const std::int32_t* other_rows = lower_.rows_below(other);
            std::int32_t place = 0;  // in the rows below `other`, which contain those of `node` beyond its columns
            for (std::int32_t i = k; i < node.num_below; ++i) {
                std::int32_t row = rows[i] - other.first_column;
                if (rows[i] >= end) {
                    while (other_rows[place] != rows[i]) ++place;
                    row = other.num_columns + place;
                }
                z(i, k) = z(k, i) = block_[index](row, column);
            }
        }
        return z;
    }

    const Supernodes& lower_;
    std::vector<std::int32_t> node_of_;
    std::vector<Matrix> block_;  // (columns + rows below, columns) of Z, per node
};

}  // namespace

void SparseCholesky::inverse_diagonal(View<double, 1> out) const {
    check_shape<double, 1>("SparseCholesky.inverse_diagonal", "out", out, {size_});
    const SelectedInverse inverse(*lower_);
    for (std::int32_t i = 0; i < size_; ++i) out(order_[i]) = inverse.diagonal(i);
}

}  // namespace rigcast::linalg
