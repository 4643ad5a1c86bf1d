#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "rigwright/core/large_array.h"
#include "rigwright/linalg/band_kernels.h"

namespace rigwright::linalg {

/// Cholesky factorization U^T U of a symmetric positive definite matrix of T x T blocks in which a block meets only the
/// two after it: the Hessian of a shot with second differences, a block a frame. Blocks are as large as they need to
/// be, filled up to eights by rows of the identity, so that every operation is one on whole vectors: tiles of eight
/// rows take all rows above them that reach them in one go. In the second block after their own, rows of U reach only
/// as far as those of the matrix above them do: half of it where a variable meets only itself, a third of the work.
template <class Real>
class BandCholesky {
public:
    static constexpr std::int64_t panel = BandKernels<Real>::panel;

    /// Takes the sizes of the blocks.
    void reset(const std::vector<std::int64_t>& sizes);
    /// Rows of all blocks, filled up.
    std::int64_t size() const { return begin_.back(); }
    /// First row of a block.
    std::int64_t begin(std::int64_t block) const { return begin_[block]; }
    /// A row of a block from column begin(block) on; only the upper triangle is read.
    Real* row(std::int64_t block, std::int64_t i) {
        return values_.data() + values_begin_[block] + (i - begin_[block]) * length(block);
    }
    const Real* row(std::int64_t block, std::int64_t i) const { return const_cast<BandCholesky*>(this)->row(block, i); }
    /// x <- matrix^-1 x, with size() numbers; the factor takes the matrix's place. `fill` sets the entries of a block's
    /// rows, which are those of the identity before, and adds the right side of these rows to x, zero before: one block
    /// after another, each just before it is factored, so that it is still near. False, with x and the matrix
    /// undefined, if the matrix is not positive definite.
    bool solve(Real* x, const std::function<void(std::int64_t block)>& fill);

private:
    static constexpr Real least_pivot = sizeof(Real) == 4 ? 1e-6 : 1e-13;  // of a diagonal entry: below is rounding

    std::int64_t num_blocks() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
    /// Past the columns that a block's rows have room for.
    std::int64_t end(std::int64_t block) const { return begin_[std::min(block + 3, num_blocks())]; }
    std::int64_t length(std::int64_t block) const { return end(block) - begin_[block]; }
    void clear(std::int64_t block);
    void find_profile(std::int64_t block);
    /// Past the columns that a panel's rows of U reach.
    std::int64_t reach(std::int64_t block, std::int64_t first) const;
    bool factor_diagonal(std::int64_t block, std::int64_t first, Real* triangle);
    void factor_panel(std::int64_t block, std::int64_t first, const Real* triangle);
    void eliminate(std::int64_t block, std::int64_t first, std::int64_t other, std::int64_t column,
                   std::int64_t columns, const Real* triangle);
    void solve_forward(std::int64_t block, std::int64_t first, Real* x) const;
    void solve_back(std::int64_t block, std::int64_t first, Real* x) const;

    std::vector<std::int64_t> begin_{0}, values_begin_;
    std::vector<std::int64_t> top_;  // of every eight columns: first row of the block two before that reaches them
    LargeArray<Real> values_;
    std::vector<Real> inverse_;  // of U's diagonal
};

extern template class BandCholesky<float>;
extern template class BandCholesky<double>;

}  // namespace rigwright::linalg
