#include "rigwright/linalg/band_cholesky.h"

#include <algorithm>
#include <cmath>

namespace rigwright::linalg {

template <class Real>
void BandCholesky<Real>::reset(const std::vector<std::int64_t>& sizes) {
    const std::int64_t blocks = static_cast<std::int64_t>(sizes.size());
    begin_.assign(1, 0);
    for (const std::int64_t size : sizes) begin_.push_back(begin_.back() + (size + panel - 1) / panel * panel);
    values_begin_.assign(1, 0);
    for (std::int64_t b = 0; b < blocks; ++b) {
        values_begin_.push_back(values_begin_.back() + (begin_[b + 1] - begin_[b]) * length(b));
    }
    // room for the variables that later steps free
    if (values_.size() < values_begin_.back()) values_.reset(2 * values_begin_.back());
    inverse_.resize(size());
}

template <class Real>
bool BandCholesky<Real>::solve(Real* x, const std::function<void(std::int64_t block)>& fill) {
    Real triangle[panel * panel] = {};
    top_.assign(size() / panel, 0);
    for (std::int64_t b = 0; b < num_blocks(); ++b) {
        clear(b);
        fill(b);
        find_profile(b);
        for (std::int64_t first = begin_[b]; first < begin_[b + 1]; first += panel) {
            if (!factor_diagonal(b, first, triangle)) return false;
            factor_panel(b, first, triangle);
            solve_forward(b, first, x);  // while the rows are near
        }
    }
    for (std::int64_t b = num_blocks(); b-- > 0;) {
        for (std::int64_t first = begin_[b + 1] - panel; first >= begin_[b]; first -= panel) solve_back(b, first, x);
    }
    return true;
}

template <class Real>
void BandCholesky<Real>::clear(std::int64_t block) {
    std::fill_n(row(block, begin_[block]), values_begin_[block + 1] - values_begin_[block], Real{0});
    for (std::int64_t i = begin_[block]; i < begin_[block + 1]; ++i) row(block, i)[i - begin_[block]] = 1;
}

/// Where the matrix's rows of a block end in the second block after it.
template <class Real>
void BandCholesky<Real>::find_profile(std::int64_t block) {
    if (block + 2 >= num_blocks()) return;
    std::int64_t reached = begin_[block + 2];
    for (std::int64_t i = begin_[block]; i < begin_[block + 1]; ++i) {
        const Real* own = row(block, i);
        std::int64_t last = begin_[block + 3];
        while (last > reached && own[last - 1 - begin_[block]] == 0) --last;
        for (; reached < last; reached += panel) top_[reached / panel] = i;
    }
    for (; reached < begin_[block + 3]; reached += panel) top_[reached / panel] = begin_[block + 1];
}

template <class Real>
std::int64_t BandCholesky<Real>::reach(std::int64_t block, std::int64_t first) const {
    std::int64_t column = end(block);
    if (block + 2 >= num_blocks()) return column;
    while (column > begin_[block + 2] && top_[column / panel - 1] >= first + panel) column -= panel;
    return column;
}

/// Writes the panel's triangle as the kernels take it.
template <class Real>
bool BandCholesky<Real>::factor_diagonal(std::int64_t block, std::int64_t first, Real* triangle) {
    const std::int64_t from = first - begin_[block];
    for (std::int64_t p = 0; p < panel; ++p) inverse_[first + p] = row(block, first + p)[from + p];
    eliminate(block, first, block, first, panel, nullptr);
    for (std::int64_t p = 0; p < panel; ++p) {
        Real* own = row(block, first + p) + from;
        if (!(own[p] > least_pivot * inverse_[first + p])) return false;  // still the diagonal of the matrix
        own[p] = std::sqrt(own[p]);
        inverse_[first + p] = triangle[p * panel + p] = 1 / own[p];
        for (std::int64_t j = p + 1; j < panel; ++j) triangle[p * panel + j] = own[j] *= inverse_[first + p];
        for (std::int64_t q = p + 1; q < panel; ++q) {
            Real* below = row(block, first + q) + from;
            for (std::int64_t j = q; j < panel; ++j) below[j] -= own[q] * own[j];
        }
    }
    return true;
}

/// The panel's rows right of its triangle.
template <class Real>
void BandCholesky<Real>::factor_panel(std::int64_t block, std::int64_t first, const Real* triangle) {
    const std::int64_t last = reach(block, first);
    for (std::int64_t other = block; other < std::min(block + 3, num_blocks()); ++other) {
        const std::int64_t stop = std::min(begin_[other + 1], last);
        for (std::int64_t j = std::max(first + panel, begin_[other]); j < stop; j += BandKernels<Real>::widest) {
            eliminate(block, first, other, j, std::min(BandKernels<Real>::widest, stop - j), triangle);
        }
    }
}

/// Takes all rows above a panel off some of its columns, which lie in the block `other`.
template <class Real>
void BandCholesky<Real>::eliminate(std::int64_t block, std::int64_t first, std::int64_t other, std::int64_t column,
                                   std::int64_t columns, const Real* triangle) {
    EliminatedRows<Real> sources[3];
    std::int64_t count = 0;
    for (std::int64_t above = std::max<std::int64_t>(other - 2, 0); above <= block; ++above) {
        const std::int64_t top = above == other - 2 ? top_[column / panel] : begin_[above];
        const std::int64_t bottom = above == block ? first : begin_[above + 1];
        if (top >= bottom) continue;
        const Real* from = row(above, top);
        sources[count++] = {from + (first - begin_[above]), from + (column - begin_[above]), length(above),
                            bottom - top};
    }
    Real* tile = row(block, first) + (column - begin_[block]);
    band_kernels<Real>().eliminate(sources, count, triangle, tile, length(block), columns);
}

template <class Real>
void BandCholesky<Real>::solve_forward(std::int64_t block, std::int64_t first, Real* x) const {
    const std::int64_t rest = first + panel, begin = begin_[block];
    for (std::int64_t i = first; i < rest; ++i) {
        const Real* own = row(block, i);
        x[i] *= inverse_[i];
        for (std::int64_t j = i + 1; j < rest; ++j) x[j] -= own[j - begin] * x[i];
    }
    const Real* right = row(block, first) + (rest - begin);
    band_kernels<Real>().subtract_rows(x + first, right, length(block), x + rest, reach(block, first) - rest);
}

template <class Real>
void BandCholesky<Real>::solve_back(std::int64_t block, std::int64_t first, Real* x) const {
    const std::int64_t rest = first + panel, begin = begin_[block];
    const Real* right = row(block, first) + (rest - begin);
    Real products[panel];
    band_kernels<Real>().multiply_rows(right, length(block), x + rest, reach(block, first) - rest, products);
    for (std::int64_t i = rest; i-- > first;) {
        const Real* own = row(block, i);
        x[i] -= products[i - first];
        for (std::int64_t j = i + 1; j < rest; ++j) x[i] -= own[j - begin] * x[j];
        x[i] *= inverse_[i];
    }
}

template class BandCholesky<float>;
template class BandCholesky<double>;

}  // namespace rigwright::linalg
