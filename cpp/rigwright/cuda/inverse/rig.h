#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::cuda {

/// How N columns depend on K variables, and their Gram matrix, as lists in device memory; see optimize::ProductModel.
/// No column holds a variable twice.
struct InverseRig {
    int num_variables, num_columns;
    const std::int32_t* factor_begin;  // (N + 1)
    const optimize::Driver* drivers;
    const std::int32_t* user_begin;     // (K + 1)
    const std::int32_t* user_column;    // (U) the columns that a variable drives, ascending
    const std::int32_t* user_variable;  // (U)
    const std::int32_t* knot_begin;     // (K + 1)
    const double* knots;                // ascending for each variable
    const double* gram;                 // (N, N)
    const double* linear_inverse;       // (K, K): the normal matrix of the linear part with a ridge, inverted
    int num_box_starts;
    const double* box_places;  // (num_box_starts, K): see inverse::Multistart

    RIGWRIGHT_DEVICE double activation(int n, const double* x) const {
        double product = 1.0;
        for (std::int32_t f = factor_begin[n]; f < factor_begin[n + 1]; ++f) {
            product *= drivers[f].value(x[drivers[f].variable]);
        }
        return product;
    }
    /// An activation without the factor of one variable.
    RIGWRIGHT_DEVICE double without(int n, int variable, const double* x) const {
        double product = 1.0;
        for (std::int32_t f = factor_begin[n]; f < factor_begin[n + 1]; ++f) {
            if (drivers[f].variable != variable) product *= drivers[f].value(x[drivers[f].variable]);
        }
        return product;
    }
    /// A column's factor of a variable that drives it.
    RIGWRIGHT_DEVICE const optimize::Driver& factor(int n, int variable) const {
        std::int32_t f = factor_begin[n];
        while (drivers[f].variable != variable) ++f;
        return drivers[f];
    }
    RIGWRIGHT_DEVICE double slope(int n, int variable, const double* x, int side) const {
        return factor(n, variable).slope(x[variable], side) * without(n, variable, x);
    }
    /// The second derivative of an activation in two variables, each to a side of it.
    RIGWRIGHT_DEVICE double cross(int n, int i, int side_i, int j, int side_j, const double* x) const {
        double product = 1.0;
        for (std::int32_t f = factor_begin[n]; f < factor_begin[n + 1]; ++f) {
            const int k = drivers[f].variable;
            product *= k == i   ? drivers[f].slope(x[k], side_i)
                       : k == j ? drivers[f].slope(x[k], side_j)
                                : drivers[f].value(x[k]);
        }
        return product;
    }
};

/// One frame's terms in device memory; see optimize::Terms.
struct InverseTerms {
    const double* projection;                          // (N)
    const double *linear, *quadratic, *lower, *upper;  // (K)
};

}  // namespace rigwright::cuda
