#include "rigcast/optimize/products/hessian.h"

#include <algorithm>
#include <span>

#include "rigcast/linalg/dense_cholesky.h"

namespace rigcast::optimize {
namespace {

void sum_rows(const double* weights, const double* const* rows, std::int64_t count, double* y, std::int64_t n) {
    linalg::gram_kernels().sum_rows(weights, rows, count, y, n);
}

void sum_rows(const float* weights, const float* const* rows, std::int64_t count, float* y, std::int64_t n) {
    linalg::gram_kernels().sum_rows_single(weights, rows, count, y, n);
}

}  // namespace

template <class Real>
void Hessian<Real>::assemble(const GramPoint& point, const FreeVariables& free, bool curvature) {
    const std::int64_t count = free.size();
    const std::int64_t width = point.gram().template width<Real>();
    stride_ = linalg::padded_width(count);
    compute_slopes(point, free);
    rank_slopes(count);
    entries_.resize(count * stride_);
    image_.resize(width);
    cursor_.assign(ranks_begin_.begin(), ranks_begin_.end() - 1);
    for (std::int64_t i = 0; i < count; ++i) {
        Real* row = entries_.data() + i * stride_;
        std::fill_n(row, stride_, Real{0});
        const std::int64_t begin = slopes_begin_[i];
        const std::int64_t end = slopes_begin_[i + 1];
        sum_rows(slopes_.data() + begin, slope_rows_.data() + begin, end - begin, image_.data(), width);
        for (std::size_t rank = 0; rank < cursor_.size(); ++rank) {
            std::int64_t& from = cursor_[rank];
            while (from < ranks_begin_[rank + 1] && ranked_slopes_[from].position < i) ++from;
            for (std::int64_t e = from; e < ranks_begin_[rank + 1]; ++e) {
                const RankedSlope& slope = ranked_slopes_[e];
                row[slope.position] += slope.twice * image_[slope.column];
            }
        }
        row[i] += static_cast<Real>(2.0 * point.terms().quadratic[free.variables[i]]);
    }
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < i; ++j) entries_[i * stride_ + j] = entries_[j * stride_ + i];
    }
    if (curvature) add_curvature(point, free);
}

/// J by free variables.
template <class Real>
void Hessian<Real>::compute_slopes(const GramPoint& point, const FreeVariables& free) {
    const ProductModel& products = point.products();
    slope_columns_.clear();
    slopes_.clear();
    slope_rows_.clear();
    slopes_begin_.assign(1, 0);
    for (std::int64_t i = 0; i < free.size(); ++i) {
        for (const std::int32_t n : products.users(free.variables[i])) {
            const double slope = products.slope(n, free.variables[i], point.x(), free.side[i]);
            if (slope == 0.0) continue;
            slope_columns_.push_back(n);
            slopes_.push_back(static_cast<Real>(slope));
            slope_rows_.push_back(point.gram().template row<Real>(n));
        }
        slopes_begin_.push_back(static_cast<std::int64_t>(slope_columns_.size()));
    }
}

/// J by rank: the first slope of every variable, then the second ones, and so on. Successive additions to a row of H
/// then go to different entries and do not wait for each other.
template <class Real>
void Hessian<Real>::rank_slopes(std::int64_t num_free) {
    std::int64_t num_ranks = 0;
    for (std::int64_t i = 0; i < num_free; ++i) {
        num_ranks = std::max(num_ranks, slopes_begin_[i + 1] - slopes_begin_[i]);
    }
    ranked_slopes_.clear();
    ranks_begin_.assign(1, 0);
    for (std::int64_t rank = 0; rank < num_ranks; ++rank) {
        for (std::int64_t i = 0; i < num_free; ++i) {
            const std::int64_t e = slopes_begin_[i] + rank;
            if (e >= slopes_begin_[i + 1]) continue;
            ranked_slopes_.push_back({static_cast<std::int32_t>(i), slope_columns_[e], 2 * slopes_[e]});
        }
        ranks_begin_.push_back(static_cast<std::int64_t>(ranked_slopes_.size()));
    }
}

template <class Real>
void Hessian<Real>::add_curvature(const GramPoint& point, const FreeVariables& free) {
    const ProductModel& products = point.products();
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        const auto [first, second] = products.plain_product(n);
        if (second < 0) {
            add_product_curvature(point, free, n);
            continue;
        }
        const std::int32_t i = free.position[first];
        const std::int32_t j = free.position[second];
        if (i >= 0 && j >= 0) add_pair(i, j, 2.0 * point.residual()[n]);
    }
}

/// The curvature of a product of any drivers, from every pair of them; a single driver is linear on its piece.
template <class Real>
void Hessian<Real>::add_product_curvature(const GramPoint& point, const FreeVariables& free, std::int64_t column) {
    const std::span<const Driver> drivers = point.products().drivers(column);
    for (std::size_t a = 1; a < drivers.size(); ++a) {
        const std::int32_t i = free.position[drivers[a].variable];
        if (i < 0) continue;
        for (std::size_t b = 0; b < a; ++b) {
            const std::int32_t j = free.position[drivers[b].variable];
            if (j < 0) continue;
            double product = 2.0 * point.residual()[column];
            for (std::size_t c = 0; c < drivers.size(); ++c) {
                const double x = point.x()[drivers[c].variable];
                product *= c == a   ? drivers[c].slope(x, free.side[i])
                           : c == b ? drivers[c].slope(x, free.side[j])
                                    : drivers[c].value(x);
            }
            add_pair(i, j, product);
        }
    }
}

/// Adds to H(i, j) and H(j, i), so twice on the diagonal: (u v)'' = 2 u' v' for linear u and v.
template <class Real>
void Hessian<Real>::add_pair(std::int32_t i, std::int32_t j, double entry) {
    entries_[i * stride_ + j] += static_cast<Real>(entry);
    entries_[j * stride_ + i] += static_cast<Real>(entry);
}

template class Hessian<float>;
template class Hessian<double>;

}  // namespace rigcast::optimize
