#include "rigwright/optimize/products/hessian.h"

#include <algorithm>

#include "rigwright/linalg/dense_cholesky.h"

namespace rigwright::optimize {
namespace {

void sum_rows(const double* drivers, const double* const* rows, std::int64_t count, double* y, std::int64_t n) {
    linalg::gram_kernels().sum_rows(drivers, rows, count, y, n);
}

void sum_rows(const float* drivers, const float* const* rows, std::int64_t count, float* y, std::int64_t n) {
    linalg::gram_kernels().sum_rows_single(drivers, rows, count, y, n);
}

}  // namespace

template <class Real>
void Hessian<Real>::form(const GramPoint& frame, const FreeVariables& free, bool curvature) {
    const std::int64_t count = free.size(), width = frame.gram().template width<Real>();
    stride_ = linalg::padded_width(count);
    differentiate(frame, free);
    entries_.resize(count * stride_);
    image_.resize(width);
    cursor_.assign(rank_begin_.begin(), rank_begin_.end() - 1);
    for (std::int64_t i = 0; i < count; ++i) {
        Real* row = entries_.data() + i * stride_;
        std::fill_n(row, stride_, Real{0});
        const std::int64_t begin = slope_begin_[i], end = slope_begin_[i + 1];
        sum_rows(slopes_.data() + begin, slope_row_.data() + begin, end - begin, image_.data(), width);
        for (std::size_t rank = 0; rank < cursor_.size(); ++rank) {
            std::int64_t& from = cursor_[rank];
            while (from < rank_begin_[rank + 1] && ranked_[from].position < i) ++from;
            for (std::int64_t e = from; e < rank_begin_[rank + 1]; ++e) {
                row[ranked_[e].position] += ranked_[e].twice * image_[ranked_[e].column];
            }
        }
        row[i] += static_cast<Real>(2.0 * frame.terms().quadratic[free.variables[i]]);
    }
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < i; ++j) entries_[i * stride_ + j] = entries_[j * stride_ + i];
    }
    if (curvature) add_curvature(frame, free);
}

/// The slopes J by free variables, and once more by rank: first the first slope of each variable, then the second ones,
/// so that sums over them go to one variable after another and do not wait for each other.
template <class Real>
void Hessian<Real>::differentiate(const GramPoint& frame, const FreeVariables& free) {
    const ProductModel& products = frame.products();
    slope_column_.clear();
    slopes_.clear();
    slope_row_.clear();
    slope_begin_.assign(1, 0);
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < free.size(); ++i) {
        for (const std::int32_t n : products.users(free.variables[i])) {
            const double slope = products.slope(n, free.variables[i], frame.x(), free.side[i]);
            if (slope == 0.0) continue;
            slope_column_.push_back(n);
            slopes_.push_back(static_cast<Real>(slope));
            slope_row_.push_back(frame.gram().template row<Real>(n));
        }
        slope_begin_.push_back(static_cast<std::int64_t>(slope_column_.size()));
        longest = std::max(longest, slope_begin_[i + 1] - slope_begin_[i]);
    }
    ranked_.clear();
    rank_begin_.assign(1, 0);
    for (std::int64_t rank = 0; rank < longest; ++rank) {
        for (std::int64_t i = 0; i < free.size(); ++i) {
            const std::int64_t e = slope_begin_[i] + rank;
            if (e >= slope_begin_[i + 1]) continue;
            ranked_.push_back({static_cast<std::int32_t>(i), slope_column_[e], 2 * slopes_[e]});
        }
        rank_begin_.push_back(static_cast<std::int64_t>(ranked_.size()));
    }
}

template <class Real>
void Hessian<Real>::add_curvature(const GramPoint& frame, const FreeVariables& free) {
    const ProductModel& products = frame.products();
    const auto add = [&](std::int32_t i, std::int32_t j, double entry) {  // twice on the diagonal: (u v)'' = 2 u' v'
        entries_[i * stride_ + j] += static_cast<Real>(entry);
        entries_[j * stride_ + i] += static_cast<Real>(entry);
    };
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        const auto [first, second] = products.plain(n);
        if (second >= 0) {
            const std::int32_t i = free.position[first], j = free.position[second];
            if (i >= 0 && j >= 0) add(i, j, 2.0 * frame.residual()[n]);
            continue;
        }
        const std::span<const Driver> drivers = products.drivers(n);
        for (std::size_t a = 1; a < drivers.size(); ++a) {
            const std::int32_t i = free.position[drivers[a].variable];
            if (i < 0) continue;
            for (std::size_t b = 0; b < a; ++b) {
                const std::int32_t j = free.position[drivers[b].variable];
                if (j < 0) continue;
                double product = 2.0 * frame.residual()[n];
                for (std::size_t c = 0; c < drivers.size(); ++c) {
                    const double x = frame.x()[drivers[c].variable];
                    product *= c == a   ? drivers[c].slope(x, free.side[i])
                               : c == b ? drivers[c].slope(x, free.side[j])
                                        : drivers[c].value(x);
                }
                add(i, j, product);
            }
        }
    }
}

template class Hessian<float>;
template class Hessian<double>;

}  // namespace rigwright::optimize
