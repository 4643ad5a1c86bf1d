#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "rigcast/core/large_array.h"
#include "rigcast/linalg/band_kernels.h"

namespace rigcast::linalg {

/// Solves one system with a symmetric positive definite matrix of T x T blocks that is zero outside the diagonal blocks
/// and the two blocks right and left of them, by the Cholesky factorization U^T U. Such is the Hessian of a shot with
/// second differences: one block per frame.
///
/// Use: `reset`; for each block in ascending order `clear_block`, write its rows, `factorize_block`; `solve_back`.
/// Method: blocks may differ in size. Each is padded to a multiple of eight with rows of the identity, so that all
/// operations are on whole vectors, by tiles of eight rows that subtract all rows above them at once.
/// Skyline: in the second block right of the diagonal, a row of U is zero right of the columns that the matrix's rows
/// reach so far, and these zeros are skipped. If a variable is coupled there with itself only, that skips half of the
/// block and a third of the work.
template <class Real>
class BandCholesky {
public:
    static constexpr std::int64_t rows_per_tile = BandKernels<Real>::rows_per_tile;

    /// Starts a new matrix whose blocks have these numbers of rows. Memory is kept between matrices.
    void reset(const std::vector<std::int64_t>& sizes);
    /// Rows of all blocks, padding included.
    std::int64_t size() const { return begin_.back(); }
    /// First row of a block.
    std::int64_t begin(std::int64_t block) const { return begin_[block]; }
    /// Row i of the matrix, which lies in `block`; its first number is that of column begin(block). Only the upper
    /// triangle is read.
    Real* row(std::int64_t block, std::int64_t i) { return values_.data() + offset(block, i); }
    const Real* row(std::int64_t block, std::int64_t i) const { return values_.data() + offset(block, i); }

    /// Sets the rows of a block to those of the identity.
    void clear_block(std::int64_t block);
    /// Replaces the rows of a block by those of U, and the numbers of the right-hand side x (size()) that belong to
    /// them by those of U^-T x. Needs all blocks before it. Write the rows just before, so that they are in the cache.
    /// Returns false if the matrix is not positive definite; x and the matrix are then undefined.
    bool factorize_block(std::int64_t block, Real* x);
    /// x <- U^-1 x, after all blocks: x is then the solution.
    void solve_back(Real* x) const;

private:
    std::int64_t num_blocks() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
    std::int64_t row_length(std::int64_t block) const {
        return begin_[std::min(block + 3, num_blocks())] - begin_[block];
    }
    std::int64_t offset(std::int64_t block, std::int64_t i) const {
        return values_begin_[block] + (i - begin_[block]) * row_length(block);
    }
    void find_skyline(std::int64_t block);
    std::int64_t column_end(std::int64_t block, std::int64_t first) const;
    bool factorize_diagonal(std::int64_t block, std::int64_t first, Real* triangle);
    void factorize_right(std::int64_t block, std::int64_t first, const Real* triangle);
    void eliminate(std::int64_t block, std::int64_t first, std::int64_t column_block, std::int64_t column,
                   std::int64_t columns, const Real* triangle);
    void solve_tile_forward(std::int64_t block, std::int64_t first, Real* x) const;
    void solve_tile_back(std::int64_t block, std::int64_t first, Real* x) const;

    std::vector<std::int64_t> begin_{0};      // (T + 1) first rows of the blocks
    std::vector<std::int64_t> values_begin_;  // (T + 1) of the blocks in values_
    std::vector<std::int64_t> skyline_;       // (size / 8) see find_skyline
    LargeArray<Real> values_;                 // rows of the matrix, then of U
    std::vector<Real> inverse_;               // (size) of U's diagonal
};

extern template class BandCholesky<float>;
extern template class BandCholesky<double>;

}  // namespace rigcast::linalg
