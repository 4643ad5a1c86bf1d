#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::cuda {

/// What InverseRig points to, on the host.
struct InversePlan {
    /// The structure's lists, and the Gram matrix (N, N). Throws ArgumentError where a column holds a variable twice
    /// (symmetric shapes that one combination multiplies): on a line of such a variable the objective is no parabola.
    InversePlan(const optimize::ProductModel& products, View<const double, 2> gram);

    int num_variables, num_columns;
    bool is_linear;
    std::vector<std::int32_t> factor_begin{0}, user_begin{0}, user_column, user_variable, knot_begin{0};
    std::vector<optimize::Driver> drivers;
    std::vector<double> knots, gram, linear_inverse;
    int num_box_starts;
    std::vector<double> box_places;
};

}  // namespace rigwright::cuda
