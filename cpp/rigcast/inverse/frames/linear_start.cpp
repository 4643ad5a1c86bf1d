#include "rigcast/inverse/frames/linear_start.h"

#include <algorithm>

#include "rigcast/linalg/dense_cholesky.h"

namespace rigcast::inverse {

/// Calls visit(column, variable) for each column that is a variable alone.
template <class F>
void LinearStart::for_linear_columns(F&& visit) const {
    for (std::int64_t n = 0; n < products_.num_columns(); ++n) {
        const auto drivers = products_.drivers(n);
        if (drivers.size() == 1 && !drivers[0].is_tent) visit(n, drivers[0].variable);
    }
}

LinearStart::LinearStart(const optimize::ProductModel& products, const linalg::GramMatrix& gram)
    : products_(products),
      num_variables_(products.num_variables()),
      stride_(linalg::padded_width(num_variables_)),
      factor_(num_variables_ * stride_, 0.0),
      inverse_diagonal_(num_variables_) {
    double trace = 0.0;
    for_linear_columns([&](std::int64_t n, std::int32_t i) {
        for_linear_columns([&](std::int64_t m, std::int32_t j) { factor_[i * stride_ + j] += gram(n, m); });
        trace += gram(n, n);
    });
    const double ridge = linear_start_ridge * trace / static_cast<double>(std::max<std::int64_t>(num_variables_, 1));
    for (std::int64_t k = 0; k < num_variables_; ++k) factor_[k * stride_ + k] += ridge > 0.0 ? ridge : 1.0;
    is_factorized_ =
        linalg::dense_cholesky().factorize(factor_.data(), num_variables_, stride_, 0.0, inverse_diagonal_.data());
}

bool LinearStart::solve(const optimize::Terms& terms, std::vector<double>& x) const {
    x.assign(stride_, 0.0);
    for_linear_columns([&](std::int64_t n, std::int32_t k) { x[k] += terms.projection[n]; });
    for (std::int64_t k = 0; k < num_variables_; ++k) x[k] -= 0.5 * terms.linear[k];
    if (is_factorized_) {
        linalg::dense_cholesky().solve(factor_.data(), num_variables_, stride_, inverse_diagonal_.data(), x.data());
    }
    for (std::int64_t k = 0; k < num_variables_; ++k) x[k] = std::clamp(x[k], terms.lower[k], terms.upper[k]);
    return is_factorized_;
}

}  // namespace rigcast::inverse
