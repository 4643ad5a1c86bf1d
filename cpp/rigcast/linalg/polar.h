#pragma once

namespace rigcast::linalg {

/// The polar decomposition A = R P of a 3x3 matrix (row-major): R is the rotation nearest to A, P = R^T A the symmetric
/// stretch that is applied before it. If A mirrors (negative determinant), P has one negative eigenvalue. If the
/// nearest rotation is not unique (A of rank 1 or 0), R is one of them.
struct Polar {
    double rotation[9];
    double stretch[9];
};

/// Newton's iteration (Higham 1986); a singular value decomposition if A mirrors or is nearly singular.
Polar polar_decomposition(const double* a);

/// The derivatives along da (3, 3): of the stretch, (3, 3), and of the rotation, as the vector omega (3) with
/// dR = R [omega]x. If the rotation is not differentiable, omega is 0.
void polar_jvp(const Polar& polar, const double* da, double* stretch_derivative, double* omega);

/// The reverse of polar_jvp: adds to a_gradient (3, 3) the gradient with respect to A, given the gradients with respect
/// to the stretch, (3, 3), and to omega, (3).
void polar_vjp(const Polar& polar, const double* stretch_gradient, const double* omega_gradient, double* a_gradient);

}  // namespace rigcast::linalg
