#include "rigcast/linalg/sparse/sparse_matrix.h"

#include <numeric>

namespace rigcast::linalg {
namespace {

/// The triplets `order`, stably sorted by `key` (counting sort).
std::vector<std::int32_t> sorted(const std::vector<std::int32_t>& order, View<const std::int32_t, 1> key,
                                 std::int32_t size) {
    std::vector<std::int32_t> next(static_cast<std::size_t>(size) + 1, 0);
    for (const std::int32_t e : order) ++next[key(e) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::int32_t> result(order.size());
    for (const std::int32_t e : order) result[next[key(e)]++] = e;
    return result;
}

}  // namespace

SparseMatrix compress(std::int32_t size, View<const std::int32_t, 1> rows, View<const std::int32_t, 1> columns,
                      View<const double, 1> values) {
    std::vector<std::int32_t> order(values.extent(0));
    std::iota(order.begin(), order.end(), 0);
    order = sorted(sorted(order, rows, size), columns, size);

    SparseMatrix matrix;
    matrix.size = size;
    matrix.start.assign(static_cast<std::size_t>(size) + 1, 0);
    std::int32_t last_row = -1;
    std::int32_t last_column = -1;
    for (const std::int32_t e : order) {
        if (rows(e) == last_row && columns(e) == last_column) {
            matrix.value.back() += values(e);
            continue;
        }
        last_row = rows(e);
        last_column = columns(e);
        matrix.row.push_back(last_row);
        matrix.value.push_back(values(e));
        ++matrix.start[last_column + 1];
    }
    std::partial_sum(matrix.start.begin(), matrix.start.end(), matrix.start.begin());
    return matrix;
}

SparseMatrix transposed(const SparseMatrix& matrix) {
    SparseMatrix result{matrix.size, std::vector<std::int32_t>(matrix.start.size(), 0), matrix.row, matrix.value};
    for (const std::int32_t r : matrix.row) ++result.start[r + 1];
    std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
    std::vector<std::int32_t> next(result.start.begin(), result.start.end() - 1);
    for (std::int32_t c = 0; c < matrix.size; ++c) {
        for (std::int32_t e = matrix.start[c]; e < matrix.start[c + 1]; ++e) {
            const std::int32_t place = next[matrix.row[e]]++;
            result.row[place] = c;
            result.value[place] = matrix.value[e];
        }
    }
    return result;
}

}  // namespace rigcast::linalg
