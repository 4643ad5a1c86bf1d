#include "rigcast/linalg/active_set_cholesky.h"

#include <algorithm>

#include "rigcast/linalg/dense_cholesky.h"

namespace rigcast::linalg {

bool ActiveSetCholesky::set(const std::vector<double>& matrix, std::int64_t row_length,
                            std::span<const std::int32_t> active, double ridge, std::span<const std::int32_t> names) {
    const std::int64_t n = static_cast<std::int64_t>(active.size());
    variables_.clear();
    reserve(n);
    for (std::int64_t a = 0; a < n; ++a) {
        const double* from = matrix.data() + active[a] * row_length;
        double* row = upper_.data() + a * stride_;
        for (std::int64_t b = a; b < n; ++b) row[b] = from[active[b]];
        std::fill(row + n, row + padded_width(n), 0.0);
        row[a] += ridge;
    }
    if (!dense_cholesky().factorize(upper_.data(), n, stride_, smallest_pivot, inverse_diagonal_.data())) return false;
    double most = 1.0;  // the largest diagonal entry divided by its pivot
    for (std::int64_t a = 0; a < n; ++a) {
        const double entry = matrix[active[a] * (row_length + 1)] + ridge;
        most = std::max(most, entry * inverse_diagonal_[a] * inverse_diagonal_[a]);
    }
    least_pivot_ = 1.0 / most;
    for (const std::int32_t a : active) variables_.push_back(names[a]);
    return true;
}

/// Makes room for `count` variables and a quarter more; U is lost if memory grows.
void ActiveSetCholesky::reserve(std::int64_t count) {
    if (padded_width(count) <= stride_) return;
    stride_ = padded_width(count + count / 4);
    upper_.assign(stride_ * stride_, 0.0);
    inverse_diagonal_.resize(stride_);
}

bool ActiveSetCholesky::append(std::int32_t variable, double* column, double diagonal) {
    const std::int64_t n = size();
    if (padded_width(n + 1) > stride_) return false;
    if (!dense_cholesky().append(upper_.data(), n, stride_, smallest_pivot, inverse_diagonal_.data(), column,
                                 diagonal)) {
        return false;
    }
    variables_.push_back(variable);
    return true;
}

void ActiveSetCholesky::remove(std::int64_t position) {
    dense_cholesky().remove(upper_.data(), size(), stride_, inverse_diagonal_.data(), position);
    variables_.erase(variables_.begin() + position);
}

void ActiveSetCholesky::solve(double* x) const {
    dense_cholesky().solve(upper_.data(), size(), stride_, inverse_diagonal_.data(), x);
}

}  // namespace rigcast::linalg
