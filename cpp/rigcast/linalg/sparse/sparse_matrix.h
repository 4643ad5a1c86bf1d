#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::linalg {

/// A square matrix in compressed sparse columns: column c has the entries start[c] to before start[c + 1] of `row` and
/// `value`. Rows ascend inside a column, and no entry is stored twice.
struct SparseMatrix {
    std::int32_t size = 0;
    std::vector<std::int32_t> start;
    std::vector<std::int32_t> row;
    std::vector<double> value;
};

/// Compresses (row, column, value) triplets in any order. Triplets of one entry are summed in the order given.
/// Indices must lie in [0, size).
SparseMatrix compress(std::int32_t size, View<const std::int32_t, 1> rows, View<const std::int32_t, 1> columns,
                      View<const double, 1> values);

SparseMatrix transposed(const SparseMatrix& matrix);

}  // namespace rigcast::linalg
