#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"
#include "rigwright/optimize/products/structure.h"

namespace rigwright::cuda {

/// How N columns depend on K variables, and their Gram matrix, as lists in device memory; see optimize::Structure. No
/// column holds a variable twice.
struct InverseRig {
    int num_variables, num_columns;
    const std::int32_t* factor_begin;  // (N + 1)
    const optimize::Factor* factors;
    const std::int32_t* user_begin;     // (K + 1)
    const std::int32_t* user_column;    // (U) the columns that a variable drives, ascending
    const std::int32_t* user_variable;  // (U)
    const std::int32_t* knot_begin;     // (K + 1)
    const double* knots;                // ascending for each variable
    const double* gram;                 // (N, N)
    const double* linear_inverse;       // (K, K): the normal matrix of the linear part with a ridge, inverted
    int num_box_starts;
    const double* box_places;  // (num_box_starts, K): see inverse::BoxStarts

    RIGWRIGHT_DEVICE double activation(int n, const double* x) const {
        double product = 1.0;
        for (std::int32_t f = factor_begin[n]; f < factor_begin[n + 1]; ++f) {
            product *= factors[f].value(x[factors[f].variable]);
        }
        return product;
    }
    /// An activation without the factor of one variable.
    RIGWRIGHT_DEVICE double without(int n, int variable, const double* x) const {
        double product = 1.0;
        for (std::int32_t f = factor_begin[n]; f < factor_begin[n + 1]; ++f) {
            if (factors[f].variable != variable) product *= factors[f].value(x[factors[f].variable]);
        }
        return product;
    }
    /// A column's factor of a variable that drives it.
    RIGWRIGHT_DEVICE const optimize::Factor& factor(int n, int variable) const {
        std::int32_t f = factor_begin[n];
        while (factors[f].variable != variable) ++f;
        return factors[f];
    }
    RIGWRIGHT_DEVICE double slope(int n, int variable, const double* x, int side) const {
        return factor(n, variable).slope(x[variable], side) * without(n, variable, x);
    }
    /// The second derivative of an activation in two variables, each to a side of it.
    RIGWRIGHT_DEVICE double cross(int n, int i, int side_i, int j, int side_j, const double* x) const {
        double product = 1.0;
        for (std::int32_t f = factor_begin[n]; f < factor_begin[n + 1]; ++f) {
            const int k = factors[f].variable;
            product *= k == i   ? factors[f].slope(x[k], side_i)
                       : k == j ? factors[f].slope(x[k], side_j)
                                : factors[f].value(x[k]);
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
