#include "inverse/envelope_cholesky.h"

#include <algorithm>
#include <cmath>

#include "inverse/kernels.h"

namespace rigwright::inverse {

void EnvelopeCholesky::reset(const std::vector<std::int64_t>& first) {
    first_ = first;
    begin_.resize(first.size());
    std::int64_t size = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        begin_[i] = size;
        size += static_cast<std::int64_t>(i) + 1 - first[i];
    }
    values_.assign(size, 0.0);
}

bool EnvelopeCholesky::factor() {
    const Kernels& kernel = kernels();
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(first_.size()); ++i) {
        double* own = row(i) - first_[i];
        const double diagonal = own[i];
        for (std::int64_t j = first_[i]; j < i; ++j) {
            const double* other = row(j) - first_[j];
            const std::int64_t from = std::max(first_[i], first_[j]);
            own[j] = (own[j] - kernel.dot(own + from, other + from, j - from)) / other[j];
        }
        const double pivot = diagonal - kernel.dot(own + first_[i], own + first_[i], i - first_[i]);
        if (!(pivot > 1e-13 * diagonal)) return false;
        own[i] = std::sqrt(pivot);
    }
    return true;
}

void EnvelopeCholesky::solve(double* x) const {
    const Kernels& kernel = kernels();
    const std::int64_t count = static_cast<std::int64_t>(first_.size());
    for (std::int64_t i = 0; i < count; ++i) {
        const double* own = values_.data() + begin_[i] - first_[i];
        x[i] = (x[i] - kernel.dot(own + first_[i], x + first_[i], i - first_[i])) / own[i];
    }
    for (std::int64_t i = count; i-- > 0;) {
        const double* own = values_.data() + begin_[i] - first_[i];
        x[i] /= own[i];
        kernel.add_scaled(-x[i], own + first_[i], x + first_[i], i - first_[i]);
    }
}

}  // namespace rigwright::inverse
