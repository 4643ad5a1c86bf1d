#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "inverse/gram_matrix.h"

namespace rigwright::inverse {

/// Cholesky factorisation U^T U of a symmetric positive definite matrix of T x T blocks in which a block meets only the
/// two after it: the Hessian of a shot with second differences, a block a frame. Blocks are as large as they need to
/// be, filled up to eights by rows of the identity, so that every operation is one on whole vectors: eight rows at a
/// time are subtracted from the rows below them.
class BandCholesky {
public:
    static constexpr std::int64_t panel = 8;

    /// Takes the sizes of the blocks. Entries become those of the identity.
    void reset(const std::vector<std::int64_t>& sizes);
    /// Rows of all blocks, filled up.
    std::int64_t size() const { return begin_.back(); }
    /// First row of a block.
    std::int64_t begin(std::int64_t block) const { return begin_[block]; }
    /// A row of a block from column begin(block) on; only the upper triangle is read.
    double* row(std::int64_t block, std::int64_t i) {
        return values_.data() + values_begin_[block] + (i - begin_[block]) * length(block);
    }
    const double* row(std::int64_t block, std::int64_t i) const {
        return const_cast<BandCholesky*>(this)->row(block, i);
    }
    /// Factors in place. False if the matrix is not positive definite.
    bool factor();
    /// x <- (U^T U)^-1 x, with size() numbers.
    void solve(double* x) const;

private:
    std::int64_t num_blocks() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
    /// Past the columns that a block's rows reach.
    std::int64_t end(std::int64_t block) const { return begin_[std::min(block + 3, num_blocks())]; }
    std::int64_t length(std::int64_t block) const { return end(block) - begin_[block]; }
    bool factor_panel(std::int64_t block, std::int64_t first);
    void subtract_panel(std::int64_t block, std::int64_t first);

    std::vector<std::int64_t> begin_{0}, values_begin_;
    AlignedDoubles values_;
    std::vector<double> inverse_;  // of U's diagonal
};

}  // namespace rigwright::inverse
