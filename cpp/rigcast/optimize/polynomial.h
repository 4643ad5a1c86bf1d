#pragma once
#include <span>

namespace rigcast::optimize {

/// sum_i c_i h^i, by Horner's rule.
double polynomial_value(std::span<const double> coefficients, double h);

/// The h in [low, high] that minimizes sum_i c_i h^i; the smallest one if several do. Parabolas have a closed form. For
/// higher degrees the stationary points are found by bisection between those of the derivative, recursively, so the
/// cost grows with the square of the degree; rigs have degrees of at most 32.
double polynomial_minimizer(std::span<const double> coefficients, double low, double high);

}  // namespace rigcast::optimize
