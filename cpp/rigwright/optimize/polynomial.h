#pragma once
#include <span>

namespace rigwright::optimize {

/// The minimizer of sum_i c_i h^i over [low, high]: closed for parabolas, else by bracketing the roots of the
/// derivative between those of its own derivative. The smallest h where values are equal. Degree at most 32.
double polynomial_minimizer(std::span<const double> coefficients, double low, double high);

double polynomial_value(std::span<const double> coefficients, double h);

}  // namespace rigwright::optimize
