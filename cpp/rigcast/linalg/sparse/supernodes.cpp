#include "rigcast/linalg/sparse/supernodes.h"

#include <algorithm>

namespace rigcast::linalg {
namespace {

// The three constants trade index reads, fewer in long supernodes, against multiplications by stored zeros. They are
// not sensitive: on the Laplacian of a grid of 164 x 164 vertices, 16 to 128 columns, 0 to 64 zeros and one zero in 3
// to 10 entries, or none, all take the same time within the noise (2.2 to 3.0 ms for 24 right-hand sides).

/// Its rows of 24 right-hand sides, 12 KB, stay in the first-level cache.
constexpr std::int64_t max_columns_per_supernode = 64;
/// A supernode may store this many zeros, or one in `entries_per_zero` entries if that is more.
constexpr std::int64_t zeros_per_supernode = 16;
constexpr std::int64_t entries_per_zero = 5;

std::int64_t num_entries(const SparseMatrix& lower, std::int32_t column) {
    return lower.start[column + 1] - lower.start[column];
}

/// The end of the supernode that starts at column `first`. Column c + 1 may join if it is c's first row below the
/// diagonal: its rows then contain the rest of c's (elimination tree).
std::int32_t end_of_supernode(const SparseMatrix& lower, std::int32_t first) {
    std::int64_t entries = num_entries(lower, first);
    std::int32_t end = first + 1;
    for (; end < lower.size && end - first < max_columns_per_supernode; ++end) {
        const std::int32_t last_diagonal = lower.start[end - 1];
        if (num_entries(lower, end - 1) < 2 || lower.row[last_diagonal + 1] != end) break;
        const std::int64_t columns = end - first + 1;
        const std::int64_t stored = columns * (columns - 1) / 2 + columns * num_entries(lower, end);
        entries += num_entries(lower, end);
        if (stored - entries > std::max(zeros_per_supernode, stored / entries_per_zero)) break;
    }
    return end;
}

}  // namespace

Supernodes::Supernodes(const SparseMatrix& lower) : size_(lower.size) {
    row_.reserve(lower.row.size());
    value_.reserve(2 * lower.row.size());
    for (std::int32_t first = 0; first < lower.size;) {
        const std::int32_t end = end_of_supernode(lower, first);
        add(lower, first, end);
        first = end;
    }
}

void Supernodes::add(const SparseMatrix& lower, std::int32_t first, std::int32_t end) {
    const std::int32_t columns = end - first;
    const std::int32_t below_begin = lower.start[end - 1] + 1;  // the last column has all rows below the triangle
    const std::int32_t below = lower.start[end] - below_begin;
    supernodes_.push_back(
        {first, columns, below, static_cast<std::int64_t>(row_.size()), static_cast<std::int64_t>(value_.size())});
    row_.insert(row_.end(), lower.row.begin() + below_begin, lower.row.begin() + below_begin + below);
    value_.resize(value_.size() + static_cast<std::size_t>(columns) * (columns + below), 0.0);
    double* values = value_.data() + supernodes_.back().values_begin;
    for (std::int32_t c = first; c < end; ++c) {
        std::int32_t b = 0;
        for (std::int32_t e = lower.start[c]; e < lower.start[c + 1]; ++e) {
            const std::int32_t row = lower.row[e];
            while (row >= end && lower.row[below_begin + b] != row) ++b;
            const std::int64_t stored_row = row < end ? row - first : columns + b;
            values[stored_row * columns + c - first] = row == c ? 1.0 / lower.value[e] : lower.value[e];
        }
    }
}

}  // namespace rigcast::linalg
