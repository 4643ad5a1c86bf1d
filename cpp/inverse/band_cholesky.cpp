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
    const std::size_t count = values_begin_.back();
    if (values_.capacity() < count) {
        values_ = {};
        values_.reserve(2 * count);
    }
    values_.assign(count, 0.0);
    inverse_.resize(size());
    for (std::int64_t b = 0; b < blocks; ++b) {
        for (std::int64_t i = begin_[b] + sizes[b]; i < begin_[b + 1]; ++i) row(b, i)[i - begin_[b]] = 1.0;
    }
}

bool BandCholesky::factor() {
    for (std::int64_t b = 0; b < num_blocks(); ++b) {
        for (std::int64_t i = begin_[b]; i < begin_[b + 1]; ++i) inverse_[i] = row(b, i)[i - begin_[b]];
    }
    for (std::int64_t b = 0; b < num_blocks(); ++b) {
        for (std::int64_t first = begin_[b]; first < begin_[b + 1]; first += panel) {
            if (!factor_panel(b, first)) return false;
            subtract_panel(b, first);
        }
    }
    return true;
}

bool BandCholesky::factor_panel(std::int64_t block, std::int64_t first) {
    const std::int64_t origin = begin_[block], from = first - origin, count = length(block) - from;
    for (std::int64_t p = first; p < first + panel; ++p) {
        double* own = row(block, p);
        const double pivot = own[p - origin];
        if (!(pivot > 1e-13 * inverse_[p])) return false;  // still the diagonal of the matrix
        const double root = std::sqrt(pivot);
        inverse_[p] = 1.0 / root;
        for (std::int64_t j = from; j < from + count; ++j) own[j] *= inverse_[p];
        own[p - origin] = root;
        for (std::int64_t q = p + 1; q < first + panel; ++q) {
            kernels().add_scaled(-own[q - origin], own + from, row(block, q) + from, count);
        }
    }
    return true;
}

/// Takes a panel's eight rows off all rows below that they reach.
void BandCholesky::subtract_panel(std::int64_t block, std::int64_t first) {
    const Kernels& kernel = kernels();
    const std::int64_t origin = begin_[block];
    const double* rows[panel];
    for (std::int64_t other = block; other < std::min(block + 3, num_blocks()); ++other) {
        for (std::int64_t i = std::max(first + panel, begin_[other]); i < begin_[other + 1]; ++i) {
            const std::int64_t from = i / panel * panel;
            double factors[panel];
            for (std::int64_t p = 0; p < panel; ++p) {
                rows[p] = row(block, first + p) + (from - origin);
                factors[p] = -rows[p][i - from];
            }
            kernel.add_rows(factors, rows, panel, row(other, i) + (from - begin_[other]), end(block) - from);
        }
    }
}

void BandCholesky::solve(double* x) const {
    const Kernels& kernel = kernels();
    for (std::int64_t b = 0; b < num_blocks(); ++b) {
        for (std::int64_t first = begin_[b]; first < begin_[b + 1]; first += panel) {
            const double* rows[panel];
            double factors[panel];
            const std::int64_t rest = first + panel;
            for (std::int64_t p = 0; p < panel; ++p) {
                const double* own = row(b, first + p) - begin_[b];
                x[first + p] *= inverse_[first + p];
                for (std::int64_t j = first + p + 1; j < rest; ++j) x[j] -= own[j] * x[first + p];
                rows[p] = own + rest;
                factors[p] = -x[first + p];
            }
            kernel.add_rows(factors, rows, panel, x + rest, end(b) - rest);
        }
    }
    for (std::int64_t b = num_blocks(); b-- > 0;) {
        for (std::int64_t i = begin_[b + 1]; i-- > begin_[b];) {
            const double* own = row(b, i) - begin_[b];
            x[i] = (x[i] - kernel.dot(own + i + 1, x + i + 1, end(b) - i - 1)) * inverse_[i];
        }
    }
}

}  // namespace rigwright::inverse
