#include "inverse/band_cholesky.h"

#include <algorithm>
#include <cmath>

#include "inverse/kernels.h"

namespace rigwright::inverse {

void BandCholesky::reset(const std::vector<std::int64_t>& sizes) {
    const std::int64_t blocks = static_cast<std::int64_t>(sizes.size());
    begin_.assign(1, 0);
    for (const std::int64_t size : sizes) begin_.push_back(begin_.back() + (size + panel - 1) / panel * panel);
    values_begin_.assign(1, 0);
    for (std::int64_t b = 0; b < blocks; ++b) {
        values_begin_.push_back(values_begin_.back() + (begin_[b + 1] - begin_[b]) * length(b));
    }
    // room for the variables that later steps free: new memory costs more than the factorisation's own passes over it
    if (capacity_ < values_begin_.back()) {
        capacity_ = 2 * values_begin_.back();
        values_.reset();
        values_ = std::make_unique_for_overwrite<Line[]>(capacity_ / 8);
    }
    inverse_.resize(size());
}

bool BandCholesky::solve(double* x, const std::function<void(std::int64_t block)>& fill) {
    double triangle[panel * panel] = {};
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

void BandCholesky::clear(std::int64_t block) {
    std::fill_n(row(block, begin_[block]), values_begin_[block + 1] - values_begin_[block], 0.0);
    for (std::int64_t i = begin_[block]; i < begin_[block + 1]; ++i) row(block, i)[i - begin_[block]] = 1.0;
}

/// Where the matrix's rows of a block end in the second block after it.
void BandCholesky::find_profile(std::int64_t block) {
    if (block + 2 >= num_blocks()) return;
    std::int64_t reached = begin_[block + 2];
    for (std::int64_t i = begin_[block]; i < begin_[block + 1]; ++i) {
        const double* own = row(block, i) - begin_[block];
        std::int64_t last = begin_[block + 3];
        while (last > reached && own[last - 1] == 0.0) --last;
        for (; reached < last; reached += panel) top_[reached / panel] = i;
    }
    for (; reached < begin_[block + 3]; reached += panel) top_[reached / panel] = begin_[block + 1];
}

std::int64_t BandCholesky::reach(std::int64_t block, std::int64_t first) const {
    std::int64_t column = end(block);
    if (block + 2 >= num_blocks()) return column;
    while (column > begin_[block + 2] && top_[column / panel - 1] >= first + panel) column -= panel;
    return column;
}

/// Writes the panel's triangle as the kernels take it.
bool BandCholesky::factor_diagonal(std::int64_t block, std::int64_t first, double* triangle) {
    const std::int64_t from = first - begin_[block];
    for (std::int64_t p = 0; p < panel; ++p) inverse_[first + p] = row(block, first + p)[from + p];
    eliminate(block, first, block, first, panel, nullptr);
    for (std::int64_t p = 0; p < panel; ++p) {
        double* own = row(block, first + p) + from;
        if (!(own[p] > 1e-13 * inverse_[first + p])) return false;  // still the diagonal of the matrix
        own[p] = std::sqrt(own[p]);
        inverse_[first + p] = triangle[p * panel + p] = 1.0 / own[p];
        for (std::int64_t j = p + 1; j < panel; ++j) triangle[p * panel + j] = own[j] *= inverse_[first + p];
        for (std::int64_t q = p + 1; q < panel; ++q) {
            double* below = row(block, first + q) + from;
            for (std::int64_t j = q; j < panel; ++j) below[j] -= own[q] * own[j];
        }
    }
    return true;
}

/// The panel's rows right of its triangle.
void BandCholesky::factor_panel(std::int64_t block, std::int64_t first, const double* triangle) {
    const std::int64_t last = reach(block, first);
    for (std::int64_t other = block; other < std::min(block + 3, num_blocks()); ++other) {
        const std::int64_t stop = std::min(begin_[other + 1], last);
        for (std::int64_t j = std::max(first + panel, begin_[other]); j < stop; j += BandKernels::widest) {
            eliminate(block, first, other, j, std::min(BandKernels::widest, stop - j), triangle);
        }
    }
}

/// Takes all rows above a panel off some of its columns, which lie in the block `other`.
void BandCholesky::eliminate(std::int64_t block, std::int64_t first, std::int64_t other, std::int64_t column,
                             std::int64_t columns, const double* triangle) {
    EliminatedRows sources[3];
    std::int64_t count = 0;
    for (std::int64_t above = std::max<std::int64_t>(other - 2, 0); above <= block; ++above) {
        const std::int64_t top = above == other - 2 ? top_[column / panel] : begin_[above];
        const std::int64_t bottom = above == block ? first : begin_[above + 1];
        if (top >= bottom) continue;
        const double* from = row(above, top) - begin_[above];
        sources[count++] = {from + first, from + column, length(above), bottom - top};
    }
    double* tile = row(block, first) + (column - begin_[block]);
    band_kernels().eliminate(sources, count, triangle, tile, length(block), columns);
}

void BandCholesky::solve_forward(std::int64_t block, std::int64_t first, double* x) const {
    const double* rows[panel];
    double factors[panel];
    const std::int64_t rest = first + panel;
    for (std::int64_t p = 0; p < panel; ++p) {
        const double* own = row(block, first + p) - begin_[block];
        x[first + p] *= inverse_[first + p];
        for (std::int64_t j = first + p + 1; j < rest; ++j) x[j] -= own[j] * x[first + p];
        rows[p] = own + rest;
        factors[p] = -x[first + p];
    }
    kernels().add_rows(factors, rows, panel, x + rest, reach(block, first) - rest);
}

void BandCholesky::solve_back(std::int64_t block, std::int64_t first, double* x) const {
    const std::int64_t last = reach(block, first);
    for (std::int64_t i = first + panel; i-- > first;) {
        const double* own = row(block, i) - begin_[block];
        x[i] = (x[i] - kernels().dot(own + i + 1, x + i + 1, last - i - 1)) * inverse_[i];
    }
}

}  // namespace rigwright::inverse
