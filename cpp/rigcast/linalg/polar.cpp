#include "rigcast/linalg/polar.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace rigcast::linalg {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Eigen::Vector3d;

/// A matrix counts as singular if its determinant is below this share of its cubed norm.
constexpr double singular_determinant = 1e-12;

/// A power of two near 1 / |A|, so that A times it has the digits of A: 1 for rotations, and if |A| is 0 or not finite.
double power_of_two(const Matrix& a) {
    const double size = a.norm();
    if (!(size >= std::numeric_limits<double>::min()) || !std::isfinite(size)) return 1.0;
    return std::ldexp(1.0, -std::ilogb(size));
}

/// Newton's iteration X <- (X + X^-T) / 2 (Higham 1986): two rounds for a rotation rounded to float32. The rotation
/// does not depend on the scale of A, but the number of rounds does, so that A is scaled first. Returns false if A
/// mirrors or is nearly singular, or has not converged.
bool newton(const Matrix& a, Matrix* rotation) {
    constexpr int max_rounds = 30;      // each round halves singular values far above 1; chosen, not tuned
    constexpr double converged = 1e-8;  // quadratic convergence: the next error is the square of this change
    Matrix x = power_of_two(a) * a;
    for (int round = 0; round < max_rounds; ++round) {
        const double determinant = x.determinant();
        const double size = x.norm();
        if (!(determinant > singular_determinant * size * size * size)) return false;
        const Matrix next = 0.5 * (x + x.inverse().transpose());
        const double change = (next - x).norm();
        x = next;
        if (change < converged) {
            *rotation = x;
            return true;
        }
    }
    return false;
}

Matrix nearest_rotation(const Matrix& a) {
    Matrix rotation;
    if (newton(a, &rotation)) return rotation;
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Vector3d signs(1.0, 1.0, 1.0);
    signs[2] = svd.matrixU().determinant() * svd.matrixV().determinant() < 0.0 ? -1.0 : 1.0;
    return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
}

/// Writes K = tr(P) I - P. Returns true if K is invertible: the rotation is differentiable then.
bool omega_matrix(const Matrix& stretch, Matrix* k) {
    *k = stretch.trace() * Matrix::Identity() - stretch;
    const double scale = k->norm();
    return std::abs(k->determinant()) > singular_determinant * scale * scale * scale;
}

Vector3d axial(const Matrix& m) {
    return {m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)};
}

Matrix cross_matrix(const Vector3d& w) {
    return (Matrix() << 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0).finished();
}

}  // namespace

Polar polar_decomposition(const double* a) {
    Polar polar;
    const Matrix matrix = Eigen::Map<const Matrix>(a);
    Eigen::Map<Matrix> rotation(polar.rotation);
    rotation = nearest_rotation(matrix);
    const Matrix stretch = rotation.transpose() * matrix;
    Eigen::Map<Matrix>(polar.stretch) = 0.5 * (stretch + stretch.transpose());
    return polar;
}

/// With B = R^T dA and dR = R [w]x, differentiating A = R P gives [w]x P + P [w]x = B - B^T, that is
/// (tr(P) I - P) w = axial(B - B^T), and dP = B - [w]x P.
void polar_jvp(const Polar& polar, const double* da, double* stretch_derivative, double* omega) {
    const Eigen::Map<const Matrix> rotation(polar.rotation), stretch(polar.stretch), change(da);
    const Matrix b = rotation.transpose() * change;
    Matrix k;
    Vector3d w = Vector3d::Zero();
    if (omega_matrix(stretch, &k)) w = k.inverse() * axial(b);
    Eigen::Map<Matrix>(stretch_derivative, 3, 3) = b - cross_matrix(w) * stretch;
    Eigen::Map<Vector3d>(omega, 3) = w;
}

void polar_vjp(const Polar& polar, const double* stretch_gradient, const double* omega_gradient, double* a_gradient) {
    const Eigen::Map<const Matrix> rotation(polar.rotation), stretch(polar.stretch), gp(stretch_gradient);
    const Matrix h = -gp * stretch;
    const Vector3d sum = axial(h) + Eigen::Map<const Vector3d>(omega_gradient);
    Matrix k, gb = gp;
    if (omega_matrix(stretch, &k)) gb += cross_matrix(k.inverse() * sum);
    Eigen::Map<Matrix>(a_gradient) += rotation * gb;
}

}  // namespace rigcast::linalg
