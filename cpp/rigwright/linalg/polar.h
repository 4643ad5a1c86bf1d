#pragma once

namespace rigwright::linalg {

/// A 3x3 matrix A (row-major) as A = R P: R the rotation nearest to A, P = R^T A symmetric, the stretch that comes
/// before the rotation. A mirrored A (negative determinant) gives a P with one negative eigenvalue; where the
/// nearest rotation is not unique (A of rank one or less) some nearest one is taken.
struct Polar {
    double rotation[9];
    double stretch[9];
};

Polar polar_decomposition(const double* a);

/// The derivatives of the stretch, (3, 3), and of the rotation, a turn omega, (3), with dR = R [omega]x, along da
/// (3, 3). Where the rotation is not differentiable its part is 0.
void polar_jvp(const Polar& polar, const double* da, double* stretch_derivative, double* turn);

/// The reverse of polar_jvp: adds to a_gradient (3, 3) the gradient with respect to A, from those with respect to the
/// stretch, (3, 3), and to the turn, (3).
void polar_vjp(const Polar& polar, const double* stretch_gradient, const double* turn_gradient, double* a_gradient);

}  // namespace rigwright::linalg
