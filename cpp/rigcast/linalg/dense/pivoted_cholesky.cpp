#include "rigcast/linalg/dense/pivoted_cholesky.h"

#include <algorithm>
#include <cmath>

namespace rigcast::linalg {

PivotedCholesky::PivotedCholesky(std::vector<double> diagonal, const Column& column, double tolerance)
    : size_(static_cast<std::int64_t>(diagonal.size())), left_(std::move(diagonal)) {
    while (rank() < size_) {
        const auto largest = std::max_element(left_.begin(), left_.end());
        if (*largest <= tolerance) return;
        append(largest - left_.begin(), column);
    }
}

void PivotedCholesky::append(std::int64_t pivot, const Column& column) {
    const double root = std::sqrt(left_[static_cast<std::size_t>(pivot)]);
    const std::size_t rank = pivots_.size();
    const std::size_t count = static_cast<std::size_t>(size_);
    columns_.resize((rank + 1) * count);
    double* own = columns_.data() + rank * count;
    column(pivot, own);
    for (std::size_t earlier = 0; earlier < rank; ++earlier) {
        const double* other = columns_.data() + earlier * count;
        const double share = other[pivot];
        for (std::size_t i = 0; i < count; ++i) own[i] -= share * other[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
        own[i] /= root;
        left_[i] -= own[i] * own[i];
    }
    left_[static_cast<std::size_t>(pivot)] = 0.0;
    pivots_.push_back(pivot);
}

void PivotedCholesky::solve_transposed(std::span<double> rhs) const {
    if (rank() == 0) return;
    const std::int64_t width = static_cast<std::int64_t>(rhs.size()) / rank();
    for (std::int64_t i = rank() - 1; i >= 0; --i) {
        double* own = rhs.data() + width * i;
        for (std::int64_t later = i + 1; later < rank(); ++later) {
            const double share = entry(later, i);
            const double* other = rhs.data() + width * later;
            for (std::int64_t j = 0; j < width; ++j) own[j] -= share * other[j];
        }
        for (std::int64_t j = 0; j < width; ++j) own[j] /= entry(i, i);
    }
}

}  // namespace rigcast::linalg
