#include "rigcast/cuda/inverse/plan.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/cuda/inverse/gram_residuals.h"
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

/// The tiles of a Gram matrix in the order in which GramResiduals reads them.
std::vector<DoubleRowTile> tiles_of(View<const double, 2> gram) {
    using Product = GramResiduals;
    const std::int64_t count = gram.extent(0);
    std::vector<DoubleRowTile> result;
    for (std::int64_t first = 0; first < count; first += Product::columns_per_tile) {
        for (std::int64_t step = 0; step < count; step += Product::columns_per_step) {
            for (int number = 0; number < Product::tiles_per_step; ++number) {
                const std::int64_t row = first + number % Product::row_tiles * DoubleTile::rows;
                const std::int64_t depth = step + number / Product::row_tiles * DoubleTile::depth;
                DoubleRowTile& tile = result.emplace_back();
                for (int lane = 0; lane < lanes_per_warp; ++lane) {
                    for (int i = 0; i < DoubleTile::row_numbers; ++i) {
                        const std::int64_t n = row + DoubleTile::row(lane, i);
                        const std::int64_t m = depth + DoubleTile::row_depth(lane, i);
                        tile.half[i / 2][lane].value[i % 2] = n < count && m < count ? gram(n, m) : 0.0;
                    }
                }
            }
        }
    }
    return result;
}

/// Twice the diagonal of the Gram matrix over the columns of each variable: a bound of its own second derivative for
/// the column that is the variable alone; products count a quarter, as if their other factors were at a half.
std::vector<double> scale_of(const optimize::ProductModel& products, View<const double, 2> gram) {
    std::vector<double> result(static_cast<std::size_t>(products.num_variables()), 0.0);
    for (std::int64_t k = 0; k < products.num_variables(); ++k) {
        for (const std::int32_t n : products.users(k)) {
            result[k] += 2.0 * gram(n, n) * (is_variable(products, n) ? 1.0 : 0.25);
        }
    }
    return result;
}

/// The largest eigenvalue of the linear part's Hessian in the scale of its variables, by power iteration; at least 1.
/// It need not be exact: the steps correct it.
double curvature_of(const optimize::ProductModel& products, View<const double, 2> gram,
                    const std::vector<double>& scale) {
    constexpr int iterations = 50;
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(products.num_variables(), products.num_variables());
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        for (std::int64_t m = 0; is_variable(products, n) && m < products.num_columns(); ++m) {
            if (!is_variable(products, m)) continue;
            const std::int32_t i = products.drivers(n)[0].variable;
            const std::int32_t j = products.drivers(m)[0].variable;
            const double scales = std::sqrt(scale[i] * scale[j]);
            if (scales > 0.0) hessian(i, j) += 2.0 * gram(n, m) / scales;
        }
    }
    Eigen::VectorXd vector = Eigen::VectorXd::Ones(hessian.rows());
    double value = 0.0;
    for (int i = 0; i < iterations && vector.norm() > 0.0; ++i) {
        vector = hessian * vector.normalized();
        value = vector.norm();
    }
    return std::max(value, 1.0);
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
      gram_tiles(tiles_of(checked(products, matrix))),
      scale(scale_of(products, matrix)),
      curvature(curvature_of(products, matrix, scale)),
      linear_inverse(cuda::linear_inverse(products, matrix)) {
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
        most_users = std::max(most_users, static_cast<int>(products.users(k).size()));
        user_begin.push_back(end(user_column));
        knots.insert(knots.end(), products.knots(k).begin(), products.knots(k).end());
        knot_variable.resize(knots.size(), k);
        knot_begin.push_back(end(knots));
    }
}

}  // namespace rigcast::cuda
