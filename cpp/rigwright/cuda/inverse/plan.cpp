#include "rigwright/cuda/inverse/plan.h"

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "rigwright/core/error.h"
#include "rigwright/inverse/multistart.h"

namespace rigwright::cuda {
namespace {

/// Whether a column is a weight alone.
bool is_plain(const optimize::ProductModel& products, std::int64_t n) {
    return products.drivers(n).size() == 1 && !products.drivers(n)[0].is_tent;
}

/// The linear part's normal matrix with a ridge of 1e-4 of its mean diagonal, inverted: it makes a start only, so that
/// its condition of some 1e4 K is harmless.
std::vector<double> linear_inverse(const optimize::ProductModel& products, View<const double, 2> gram) {
    const std::int64_t count = products.num_variables();
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count);
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        for (std::int64_t m = 0; is_plain(products, n) && m < products.num_columns(); ++m) {
            if (!is_plain(products, m)) continue;
            matrix(products.drivers(n)[0].variable, products.drivers(m)[0].variable) += gram(n, m);
        }
    }
    const double ridge = 1e-4 * matrix.trace() / static_cast<double>(std::max<std::int64_t>(count, 1));
    matrix.diagonal().array() += ridge > 0.0 ? ridge : 1.0;
    const Eigen::MatrixXd inverse = matrix.llt().solve(Eigen::MatrixXd::Identity(count, count));
    return {inverse.data(), inverse.data() + inverse.size()};
}

}  // namespace

InversePlan::InversePlan(const optimize::ProductModel& products, View<const double, 2> matrix)
    : num_variables(static_cast<int>(products.num_variables())),
      num_columns(static_cast<int>(products.num_columns())),
      is_linear(products.is_linear()),
      gram(matrix.begin(), matrix.end()),
      linear_inverse(cuda::linear_inverse(products, matrix)) {
    const inverse::Multistart multistart(products, matrix);
    num_box_starts = static_cast<int>(multistart.count());
    box_places = multistart.places();
    const auto end = [](const auto& list) { return static_cast<std::int32_t>(list.size()); };
    for (int n = 0; n < num_columns; ++n) {
        drivers.insert(drivers.end(), products.drivers(n).begin(), products.drivers(n).end());
        factor_begin.push_back(end(drivers));
    }
    for (int k = 0; k < num_variables; ++k) {
        if (products.degree(k) > 1) {
            throw bad_argument("InverseSolver", "drivers",
                               "holding variable " + std::to_string(k) + " twice in a column",
                               "lists of different variables on this device");
        }
        user_column.insert(user_column.end(), products.users(k).begin(), products.users(k).end());
        user_variable.resize(user_column.size(), k);
        user_begin.push_back(end(user_column));
        knots.insert(knots.end(), products.knots(k).begin(), products.knots(k).end());
        knot_begin.push_back(end(knots));
    }
}

}  // namespace rigwright::cuda
