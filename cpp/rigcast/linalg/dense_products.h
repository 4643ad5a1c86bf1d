#pragma once
#include "rigcast/core/view.h"

namespace rigcast::linalg {

/// Writes the product a b, (N, M), of a (N, K) and b (K, M). Guarantee: the same bytes for any number of threads.
/// Throws ArgumentError if shapes do not match.
void multiply(View<const double, 2> a, View<const double, 2> b, View<double, 2> out, int threads);
void multiply(View<const float, 2> a, View<const float, 2> b, View<float, 2> out, int threads);

/// Overwrites rhs (N, M) with the solution of matrix x = rhs for a symmetric positive definite matrix (N, N), of which
/// the lower triangle is read. Method: Cholesky factorization. Guarantee: the same bytes for any number of threads.
/// Throws ArgumentError if shapes do not match, and NumericalError if the matrix is not positive definite.
void solve_positive_definite(View<const double, 2> matrix, View<double, 2> rhs, int threads);

}  // namespace rigcast::linalg
