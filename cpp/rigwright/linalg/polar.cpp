#include "rigwright/linalg/polar.h"

#include <Eigen/Dense>
#include <cmath>

namespace rigwright::linalg {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Eigen::Vector3d;

/// Newton's iteration X <- (X + X^-T) / 2 (Higham 1986): two rounds for a rotation that float32 has rounded. False
/// where it does not settle: A mirrors or (nearly) flattens.
bool newton(const Matrix& a, Matrix* rotation) {
    Matrix x = a;
    for (int round = 0; round < 30; ++round) {
        const double determinant = x.determinant(), size = x.norm();
        if (!(determinant > 1e-12 * size * size * size)) return false;
        const Matrix next = 0.5 * (x + x.inverse().transpose());
        const double change = (next - x).norm();
        x = next;
        if (change < 1e-8) break;  // quadratic: the next error is its square
    }
    *rotation = x;
    return true;
}

Matrix nearest_rotation(const Matrix& a) {
    Matrix rotation;
    if (newton(a, &rotation)) return rotation;
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Vector3d signs(1.0, 1.0, 1.0);
    signs[2] = svd.matrixU().determinant() * svd.matrixV().determinant() < 0.0 ? -1.0 : 1.0;
    return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
}

/// The matrix of (tr(P) I - P) w, and whether it can be inverted: whether the rotation is differentiable.
bool turning_matrix(const Matrix& stretch, Matrix* k) {
    *k = stretch.trace() * Matrix::Identity() - stretch;
    const double scale = k->norm();
    return std::abs(k->determinant()) > 1e-12 * scale * scale * scale;
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

/// With B = R^T dA and dR = R [w]x: differentiating A = R P gives [w]x P + P [w]x = B - B^T, that is
/// (tr(P) I - P) w = axial(B - B^T), and dP = B - [w]x P.
void polar_jvp(const Polar& polar, const double* da, double* stretch_derivative, double* turn) {
    const Eigen::Map<const Matrix> rotation(polar.rotation), stretch(polar.stretch), change(da);
    const Matrix b = rotation.transpose() * change;
    Matrix k;
    Vector3d w = Vector3d::Zero();
    if (turning_matrix(stretch, &k)) w = k.inverse() * axial(b);
    Eigen::Map<Matrix>(stretch_derivative, 3, 3) = b - cross_matrix(w) * stretch;
    Eigen::Map<Vector3d>(turn, 3) = w;
}

void polar_vjp(const Polar& polar, const double* stretch_gradient, const double* turn_gradient, double* a_gradient) {
    const Eigen::Map<const Matrix> rotation(polar.rotation), stretch(polar.stretch), gp(stretch_gradient);
    const Matrix h = -gp * stretch;
    const Vector3d sum = axial(h) + Eigen::Map<const Vector3d>(turn_gradient);
    Matrix k, gb = gp;
    if (turning_matrix(stretch, &k)) gb += cross_matrix(k.inverse() * sum);
    Eigen::Map<Matrix>(a_gradient) += rotation * gb;
}

}  // namespace rigwright::linalg
