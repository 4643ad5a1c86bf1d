#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/optimize/products/product_model.h"

namespace rigcast::cuda {

/// How N columns depend on K variables, and their Gram matrix, as lists in device memory: the device's
/// optimize::ProductModel. No column has two drivers of one variable.
struct DeviceProductModel {
    int num_variables;
    int num_columns;
    int most_users;                     // columns of one variable
    const std::int32_t* driver_begin;   // (N + 1)
    const optimize::Driver* drivers;    // by column
    const std::int32_t* user_begin;     // (K + 1)
    const std::int32_t* user_column;    // (U): the columns that a variable drives, ascending, by variable
    const std::int32_t* user_variable;  // (U)
    const std::int32_t* knot_begin;     // (K + 1)
    const double* knots;                // by variable, ascending for each
    const std::int32_t* knot_variable;  // of each knot
    const double* gram;                 // (N, N)
    const double* linear_inverse;       // (K, K): see InversePlan
    int num_multistarts;
    const double* multistart_fractions;  // (num_multistarts, K): see inverse::Multistart

    RIGCAST_DEVICE double activation(int n, const double* x) const {
        double product = 1.0;
        for (std::int32_t d = driver_begin[n]; d < driver_begin[n + 1]; ++d) {
            product *= drivers[d].value(x[drivers[d].variable]);
        }
        return product;
    }
    /// The product of a column's drivers but the one of `variable`.
    RIGCAST_DEVICE double other_drivers(int n, int variable, const double* x) const {
        double product = 1.0;
        for (std::int32_t d = driver_begin[n]; d < driver_begin[n + 1]; ++d) {
            if (drivers[d].variable != variable) product *= drivers[d].value(x[drivers[d].variable]);
        }
        return product;
    }
    /// The driver of a column that is `variable` or a tent over it: there must be one.
    RIGCAST_DEVICE const optimize::Driver& driver(int n, int variable) const {
        std::int32_t d = driver_begin[n];
        while (drivers[d].variable != variable) ++d;
        return drivers[d];
    }
    /// Slope of a column's activation along one of its variables, to one side of it (1 right, -1 left).
    RIGCAST_DEVICE double slope(int n, int variable, const double* x, int side) const {
        return driver(n, variable).slope(x[variable], side) * other_drivers(n, variable, x);
    }
    /// The second derivative of a column's activation in two of its variables, each to a side of it.
    RIGCAST_DEVICE double mixed_derivative(int n, int i, int side_i, int j, int side_j, const double* x) const {
        double product = 1.0;
        for (std::int32_t d = driver_begin[n]; d < driver_begin[n + 1]; ++d) {
            const int k = drivers[d].variable;
            product *= k == i   ? drivers[d].slope(x[k], side_i)
                       : k == j ? drivers[d].slope(x[k], side_j)
                                : drivers[d].value(x[k]);
        }
        return product;
    }
    /// Returns true if a column is a variable alone.
    RIGCAST_DEVICE bool is_variable(int n) const {
        return driver_begin[n + 1] - driver_begin[n] == 1 && !drivers[driver_begin[n]].is_tent;
    }
};

/// One frame's terms in device memory: the device's optimize::Terms.
struct DeviceTerms {
    const double* projection;  // (N)
    const double* linear;      // (K), as those below
    const double* quadratic;
    const double* lower;
    const double* upper;
};

}  // namespace rigcast::cuda
