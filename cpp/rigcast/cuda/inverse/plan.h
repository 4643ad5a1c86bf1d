#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/cuda/inverse/product_model.h"
#include "rigcast/cuda/machine/matrix_units.h"
#include "rigcast/optimize/products/product_model.h"

namespace rigcast::cuda {

/// The lists of a DeviceProductModel, on the host.
struct InversePlan {
    /// Makes the lists for a Gram matrix (N, N). Throws ArgumentError if the matrix has another shape or is not finite,
    /// or if a column has two drivers of one variable (symmetric shapes in one combination): the objective is no
    /// parabola along such a variable.
    InversePlan(const optimize::ProductModel& products, View<const double, 2> gram);

    int num_variables;
    int num_columns;
    int most_users = 0;  // columns of one variable
    bool is_linear;
    std::vector<std::int32_t> driver_begin{0};
    std::vector<optimize::Driver> drivers;
    std::vector<std::int32_t> user_begin{0};
    std::vector<std::int32_t> user_column;
    std::vector<std::int32_t> user_variable;
    std::vector<std::int32_t> knot_begin{0};
    std::vector<double> knots;
    std::vector<std::int32_t> knot_variable;
    std::vector<double> gram;
    std::vector<DoubleRowTile> gram_tiles;  // see GramResiduals
    std::vector<double> scale;              // (K): see AcceleratedStep
    double curvature;                       // of the linear part, in that scale; at least 1
    std::vector<double> linear_inverse;     // (K, K): inverse of the normal matrix of the linear part; see LinearStart
    int num_multistarts;
    std::vector<double> multistart_fractions;

    /// Gradient steps crawl where weights move vertices in combinations only (inverse::Multistart): the team solver
    /// does all then.
    bool in_lockstep() const { return num_multistarts == 0; }
};

/// The model of a plan whose lists are in `lists`, which has members with the plan's names and data(): device memory,
/// or the plan itself on the host.
template <class Lists>
DeviceProductModel make_model(const InversePlan& plan, const Lists& lists) {
    return {plan.num_variables,          plan.num_columns,           plan.most_users,
            lists.driver_begin.data(),   lists.drivers.data(),       lists.user_begin.data(),
            lists.user_column.data(),    lists.user_variable.data(), lists.knot_begin.data(),
            lists.knots.data(),          lists.knot_variable.data(), lists.gram.data(),
            lists.linear_inverse.data(), plan.num_multistarts,       lists.multistart_fractions.data()};
}

}  // namespace rigcast::cuda
