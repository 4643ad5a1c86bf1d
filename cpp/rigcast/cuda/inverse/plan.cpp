#include "rigcast/cuda/inverse/plan.h"

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/inverse/frames/solve_frames.h"

namespace rigcast::cuda {
namespace {

/// Returns true if a column is a variable alone.
bool is_variable(const optimize::ProductModel& products, std::int64_t n) {
    return products.drivers(n).size() == 1 && !products.drivers(n)[0].is_tent;
}

/// Inverts the normal matrix of the linear part, with LinearStart's ridge. The ridge bounds its condition by about
/// 1e4 K, which is harmless for a start.
std::vector<double> linear_inverse(const optimize::ProductModel& products, View<const double, 2> gram) {
    const std::int64_t count = products.num_variables();
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count);
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        for (std::int64_t m = 0; is_variable(products, n) && m < products.num_columns(); ++m) {
            if (!is_variable(products, m)) continue;
            matrix(products.drivers(n)[0].variable, products.drivers(m)[0].variable) += gram(n, m);
        }
    }
    const double ridge =
        inverse::linear_start_ridge * matrix.trace() / static_cast<double>(std::max<std::int64_t>(count, 1));
    matrix.diagonal().array() += ridge > 0.0 ? ridge : 1.0;
    const Eigen::MatrixXd inverted = matrix.llt().solve(Eigen::MatrixXd::Identity(count, count));
    return {inverted.data(), inverted.data() + inverted.size()};
}

View<const double, 2> checked(const optimize::ProductModel& products, View<const double, 2> gram) {
    check_shape<const double, 2>("InverseSolver", "gram", gram, {products.num_columns(), products.num_columns()});
    check_finite("InverseSolver", "gram", gram);
    return gram;
}

}  // namespace

InversePlan::InversePlan(const optimize::ProductModel& products, View<const double, 2> matrix)
    : num_variables(static_cast<int>(products.num_variables())),
      num_columns(static_cast<int>(products.num_columns())),
      is_linear(products.is_linear()),
      gram(matrix.begin(), matrix.end()),
      linear_inverse(cuda::linear_inverse(products, checked(products, matrix))) {
    const inverse::Multistart multistart(products, matrix);
    num_multistarts = static_cast<int>(multistart.count());
    multistart_fractions = multistart.fractions();
    const auto end = [](const auto& list) { return static_cast<std::int32_t>(list.size()); };
    for (int n = 0; n < num_columns; ++n) {
        drivers.insert(drivers.end(), products.drivers(n).begin(), products.drivers(n).end());
        driver_begin.push_back(end(drivers));
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
        knot_variable.resize(knots.size(), k);
        knot_begin.push_back(end(knots));
    }
}

}  // namespace rigcast::cuda
