#include "rigcast/linalg/band_factorization.h"

#include <algorithm>
#include <cmath>

namespace rigcast::linalg {

bool BandFactorization::factorize() {
    for (std::int64_t i = 0; i < rows_; ++i) {
        const std::int64_t begin = std::max<std::int64_t>(0, i - bandwidth_);
        for (std::int64_t j = begin; j <= i; ++j) {
            double sum = lower(i, j);
            for (std::int64_t k = begin; k < j; ++k) sum -= lower(i, k) * lower(j, k);
            if (j < i) {
                lower(i, j) = sum / lower(j, j);
            } else if (sum > 0.0) {
                lower(i, i) = std::sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

void BandFactorization::solve(double* x, std::int64_t columns) const {
    for (std::int64_t i = 0; i < rows_; ++i) {
        double* const row = x + i * columns;
        for (std::int64_t k = std::max<std::int64_t>(0, i - bandwidth_); k < i; ++k) {
            const double factor = lower(i, k);
            const double* const above = x + k * columns;
            for (std::int64_t c = 0; c < columns; ++c) row[c] -= factor * above[c];
        }
        for (std::int64_t c = 0; c < columns; ++c) row[c] /= lower(i, i);
    }
    for (std::int64_t i = rows_ - 1; i >= 0; --i) {
        double* const row = x + i * columns;
        for (std::int64_t c = 0; c < columns; ++c) row[c] /= lower(i, i);
        for (std::int64_t k = std::max<std::int64_t>(0, i - bandwidth_); k < i; ++k) {
            const double factor = lower(i, k);
            double* const above = x + k * columns;
            for (std::int64_t c = 0; c < columns; ++c) above[c] -= factor * row[c];
        }
    }
}

}  // namespace rigcast::linalg
