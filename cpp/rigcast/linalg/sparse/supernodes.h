#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/linalg/sparse/sparse_matrix.h"

namespace rigcast::linalg {

/// The lower triangular matrix L of a sparse Cholesky factorization, stored by supernodes, for substitution with many
/// right-hand sides.
///
/// A supernode is a run of consecutive columns of L with the same rows below their triangle, the dense lower triangle
/// on the diagonal of L (Liu, Ng and Peyton 1993). It is stored as a dense matrix, so that a substitution reads each
/// row index once for all columns of the supernode. Columns whose rows almost match are merged too, and zeros are
/// stored where they differ (limits in supernodes.cpp).
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
    /// Bytes of the rows and values.
    std::int64_t num_bytes() const {
        return static_cast<std::int64_t>(row_.size() * sizeof(std::int32_t) + value_.size() * sizeof(double));
    }

    /// Overwrites the right-hand sides x (n, count) with (L L^T)^-1 x. `count` must be one of `counts`, and `x` aligned
    /// to a cache line; neither is checked. The caller permutes the rows if L is of a permuted matrix. Thread-safe.
    void substitute(double* x, int count) const;

    /// The `num_columns` columns from `first_column` on, as a row-major matrix. The first num_columns rows are the
    /// triangle, which holds 1 / L(c, c) in place of its diagonal entries L(c, c). The other `num_below` rows are those
    /// below it.
    struct Supernode {
        std::int32_t first_column;
        std::int32_t num_columns;
        std::int32_t num_below;
        std::int64_t rows_begin;    // where rows_below() begins
        std::int64_t values_begin;  // where values() begins
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

}  // namespace rigcast::linalg
