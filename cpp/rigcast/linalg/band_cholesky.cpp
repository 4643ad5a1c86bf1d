#include "rigcast/linalg/band_cholesky.h"

#include <algorithm>
#include <cmath>

namespace rigcast::linalg {
namespace {

/// A pivot below this share of the matrix's diagonal entry is rounding: the matrix counts as not positive definite.
template <class Real>
constexpr Real smallest_pivot = sizeof(Real) == 4 ? 1e-6 : 1e-13;

}  // namespace

template <class Real>
void BandCholesky<Real>::reset(const std::vector<std::int64_t>& sizes) {
    const std::int64_t blocks = static_cast<std::int64_t>(sizes.size());
    begin_.assign(1, 0);
    for (const std::int64_t size : sizes) {
        begin_.push_back(begin_.back() + (size + rows_per_tile - 1) / rows_per_tile * rows_per_tile);
    }
    values_begin_.assign(1, 0);
    for (std::int64_t b = 0; b < blocks; ++b) {
        values_begin_.push_back(values_begin_.back() + (begin_[b + 1] - begin_[b]) * row_length(b));
    }
    // Twice as much: later steps free more variables.
    if (values_.size() < values_begin_.back()) values_.reset(2 * values_begin_.back());
    inverse_.resize(size());
    skyline_.assign(size() / rows_per_tile, 0);
}

template <class Real>
void BandCholesky<Real>::clear_block(std::int64_t block) {
    std::fill_n(row(block, begin_[block]), values_begin_[block + 1] - values_begin_[block], Real{0});
    for (std::int64_t i = begin_[block]; i < begin_[block + 1]; ++i) row(block, i)[i - begin_[block]] = 1;
}

template <class Real>
bool BandCholesky<Real>::factorize_block(std::int64_t block, Real* x) {
    Real triangle[rows_per_tile * rows_per_tile] = {};
    find_skyline(block);
    for (std::int64_t first = begin_[block]; first < begin_[block + 1]; first += rows_per_tile) {
        if (!factorize_diagonal(block, first, triangle)) return false;
        factorize_right(block, first, triangle);
        solve_tile_forward(block, first, x);
    }
    return true;
}

template <class Real>
void BandCholesky<Real>::solve_back(Real* x) const {
    for (std::int64_t b = num_blocks(); b-- > 0;) {
        for (std::int64_t first = begin_[b + 1] - rows_per_tile; first >= begin_[b]; first -= rows_per_tile) {
            solve_tile_back(b, first, x);
        }
    }
}

/// Sets skyline_ for the columns of the second block after `block`: for each eight columns, the first row of `block`
/// with a nonzero in them or right of them. U has zeros above it.
template <class Real>
void BandCholesky<Real>::find_skyline(std::int64_t block) {
    if (block + 2 >= num_blocks()) return;
    std::int64_t reached = begin_[block + 2];
    for (std::int64_t i = begin_[block]; i < begin_[block + 1]; ++i) {
        const Real* entries = row(block, i);
        std::int64_t last = begin_[block + 3];
        while (last > reached && entries[last - 1 - begin_[block]] == 0) --last;
        for (; reached < last; reached += rows_per_tile) skyline_[reached / rows_per_tile] = i;
    }
    for (; reached < begin_[block + 3]; reached += rows_per_tile) {
        skyline_[reached / rows_per_tile] = begin_[block + 1];
    }
}

/// The end of the columns in which the tile of rows from `first` on is not zero.
template <class Real>
std::int64_t BandCholesky<Real>::column_end(std::int64_t block, std::int64_t first) const {
    std::int64_t column = begin_[block] + row_length(block);
    if (block + 2 >= num_blocks()) return column;
    while (column > begin_[block + 2] && skyline_[column / rows_per_tile - 1] >= first + rows_per_tile) {
        column -= rows_per_tile;
    }
    return column;
}

/// Factorizes the diagonal tile and writes it to `triangle`, in the form that BandKernels::eliminate reads.
template <class Real>
bool BandCholesky<Real>::factorize_diagonal(std::int64_t block, std::int64_t first, Real* triangle) {
    const std::int64_t column = first - begin_[block];
    for (std::int64_t p = 0; p < rows_per_tile; ++p) inverse_[first + p] = row(block, first + p)[column + p];
    eliminate(block, first, block, first, rows_per_tile, nullptr);
    for (std::int64_t p = 0; p < rows_per_tile; ++p) {
        Real* pivot_row = row(block, first + p) + column;
        // inverse_ still has the diagonal of the matrix
        if (!(pivot_row[p] > smallest_pivot<Real> * inverse_[first + p])) return false;
        pivot_row[p] = std::sqrt(pivot_row[p]);
        inverse_[first + p] = triangle[p * rows_per_tile + p] = 1 / pivot_row[p];
        for (std::int64_t j = p + 1; j < rows_per_tile; ++j) {
            triangle[p * rows_per_tile + j] = pivot_row[j] *= inverse_[first + p];
        }
        for (std::int64_t q = p + 1; q < rows_per_tile; ++q) {
            Real* below = row(block, first + q) + column;
            for (std::int64_t j = q; j < rows_per_tile; ++j) below[j] -= pivot_row[q] * pivot_row[j];
        }
    }
    return true;
}

/// Makes the rows from `first` on right of their diagonal tile.
template <class Real>
void BandCholesky<Real>::factorize_right(std::int64_t block, std::int64_t first, const Real* triangle) {
    constexpr std::int64_t most = BandKernels<Real>::max_columns_per_tile;
    const std::int64_t end = column_end(block, first);
    for (std::int64_t other = block; other < std::min(block + 3, num_blocks()); ++other) {
        const std::int64_t stop = std::min(begin_[other + 1], end);
        for (std::int64_t j = std::max(first + rows_per_tile, begin_[other]); j < stop; j += most) {
            eliminate(block, first, other, j, std::min(most, stop - j), triangle);
        }
    }
}

/// Subtracts all rows of U above the tile of rows from `first` on. `columns` columns from `column` on, all of them in
/// `column_block`, are updated.
template <class Real>
void BandCholesky<Real>::eliminate(std::int64_t block, std::int64_t first, std::int64_t column_block,
                                   std::int64_t column, std::int64_t columns, const Real* triangle) {
    EliminatedRows<Real> sources[3];
    std::int64_t count = 0;
    for (std::int64_t above = std::max<std::int64_t>(column_block - 2, 0); above <= block; ++above) {
        const std::int64_t top = above == column_block - 2 ? skyline_[column / rows_per_tile] : begin_[above];
        const std::int64_t bottom = above == block ? first : begin_[above + 1];
        if (top >= bottom) continue;
        const Real* from = row(above, top);
        sources[count++] = {from + (first - begin_[above]), from + (column - begin_[above]), row_length(above),
                            bottom - top};
    }
    Real* tile = row(block, first) + (column - begin_[block]);
    band_kernels<Real>().eliminate(sources, count, triangle, tile, row_length(block), columns);
}

template <class Real>
void BandCholesky<Real>::solve_tile_forward(std::int64_t block, std::int64_t first, Real* x) const {
    const std::int64_t rest = first + rows_per_tile;
    const std::int64_t begin = begin_[block];
    for (std::int64_t i = first; i < rest; ++i) {
        const Real* entries = row(block, i);
        x[i] *= inverse_[i];
        for (std::int64_t j = i + 1; j < rest; ++j) x[j] -= entries[j - begin] * x[i];
    }
    const Real* right = row(block, first) + (rest - begin);
    band_kernels<Real>().subtract_rows(x + first, right, row_length(block), x + rest, column_end(block, first) - rest);
}

template <class Real>
void BandCholesky<Real>::solve_tile_back(std::int64_t block, std::int64_t first, Real* x) const {
    const std::int64_t rest = first + rows_per_tile;
    const std::int64_t begin = begin_[block];
    const Real* right = row(block, first) + (rest - begin);
    Real products[rows_per_tile];
    band_kernels<Real>().multiply_rows(right, row_length(block), x + rest, column_end(block, first) - rest, products);
    for (std::int64_t i = rest; i-- > first;) {
        const Real* entries = row(block, i);
        x[i] -= products[i - first];
        for (std::int64_t j = i + 1; j < rest; ++j) x[i] -= entries[j - begin] * x[j];
        x[i] *= inverse_[i];
    }
}

template class BandCholesky<float>;
template class BandCholesky<double>;

}  // namespace rigcast::linalg
