#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::linalg {

/// A square sparse matrix in compressed columns: the rows and values of column c stand at start[c] ...
/// start[c + 1], rows ascending, none twice.
struct SparseMatrix {
    std::int32_t size = 0;
    std::vector<std::int32_t> start, row;
    std::vector<double> value;
};

/// Compresses (row, column, value) entries in any order; entries of one place are summed in the order given.
/// Indices must lie in [0, size).
SparseMatrix compress(std::int32_t size, View<const std::int32_t, 1> rows, View<const std::int32_t, 1> columns,
                      View<const double, 1> values);

SparseMatrix transposed(const SparseMatrix& matrix);

}  // namespace rigwright::linalg
