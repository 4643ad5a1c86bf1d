#include "rig/polar.h"

#include <Eigen/Dense>
#include <cmath>

namespace rigwright::rig {
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
void polar_vjp(const Polar& polar, const double* stretch_gradient, const double* turn_gradient, double* a_gradient) {
    const Eigen::Map<const Matrix> rotation(polar.rotation), stretch(polar.stretch), gp(stretch_gradient);
    const Matrix h = -gp * stretch;
    const Vector3d axial =
        Vector3d(h(2, 1) - h(1, 2), h(0, 2) - h(2, 0), h(1, 0) - h(0, 1)) + Eigen::Map<const Vector3d>(turn_gradient);
    const Matrix k = stretch.trace() * Matrix::Identity() - stretch;
    const double scale = k.norm();
    Matrix gb = gp;
    if (std::abs(k.determinant()) > 1e-12 * scale * scale * scale) {
        const Vector3d y = k.inverse() * axial;
        gb += (Matrix() << 0.0, -y[2], y[1], y[2], 0.0, -y[0], -y[1], y[0], 0.0).finished();
    }
    Eigen::Map<Matrix>(a_gradient) += rotation * gb;
}

}  // namespace rigwright::rig
