#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/linalg/sparse/sparse_matrix.h"

namespace rigwright::linalg {

/// The lower triangular matrix L of a sparse Cholesky factorization, stored by supernodes, for substitution with many
/// right-hand sides.
///
/// A supernode is a run of consecutive columns of L whose entries below their common triangle lie in the same rows
/// (Liu, Ng and Peyton 1993). It is stored as a dense matrix, so that a substitution reads each row index once for all
/// columns of the supernode. Columns that almost match are merged, at the price of stored zeros (supernodes.cpp).
///
/// The right-hand sides are a row-major matrix (n, count): an entry of L is broadcast and multiplies `count` contiguous
/// numbers, without gathers. Every right-hand side takes the same operations in the same order whatever `count` is, so
/// that the bytes of a solution do not depend on the other right-hand sides.
class Supernodes {
public:
    /// `lower` is L: in each column the diagonal entry comes first and is not 0, and rows ascend.
    explicit Supernodes(const SparseMatrix& lower);

    /// The numbers of right-hand sides that `substitute` supports, descending.
    static constexpr int counts[] = {24, 16, 8, 4, 1};

    std::int32_t size() const { return size_; }

    /// Overwrites the right-hand sides x (n, count) with (L L^T)^-1 x. `x` must be aligned to a cache line.
    void substitute(double* x, int count) const;

    /// The columns first_column to before first_column + num_columns, stored row-major: first the rows of their
    /// triangle (num_columns, num_columns), whose diagonal holds the inverses, then the `num_below` rows below it.
    struct Supernode {
        std::int32_t first_column;
        std::int32_t num_columns;
        std::int32_t num_below;
        std::int64_t rows_begin;    // of the rows below, see rows_below()
        std::int64_t values_begin;  // of the values, see values()
    };
    const std::vector<Supernode>& supernodes() const { return supernodes_; }
    /// (num_below) the indices of the rows below the triangle, ascending.
    const std::int32_t* rows_below(const Supernode& node) const { return row_.data() + node.rows_begin; }
    /// (num_columns + num_below, num_columns)
    const double* values(const Supernode& node) const { return value_.data() + node.values_begin; }

private:
    void add(const SparseMatrix& lower, std::int32_t first, std::int32_t end);

    std::int32_t size_;
    std::vector<Supernode> supernodes_;
    std::vector<std::int32_t> row_;
    std::vector<double> value_;
};

}  // namespace rigwright::linalg
