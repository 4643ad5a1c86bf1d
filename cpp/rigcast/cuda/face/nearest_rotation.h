#pragma once
#include <cmath>

#include "rigcast/core/portable.h"

/// The rotation nearest to a 3 x 3 matrix, and its derivative, as in linalg/polar.h, in code for the device.
namespace rigcast::cuda {

/// Turns rows and columns p and q of the symmetric matrix a (4, 4) so that a_pq vanishes, and the columns of v (4, 4)
/// with them (Jacobi).
RIGCAST_DEVICE inline void jacobi_rotation(double (&a)[4][4], double (&v)[4][4], int p, int q) {
    if (a[p][q] == 0.0) return;
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0);
    const double s = t * c;
    for (int k = 0; k < 4; ++k) {
        const double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 4; ++k) {
        const double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        const double z = v[k][p], w = v[k][q];
        v[k][p] = c * z - s * w;
        v[k][q] = s * z + c * w;
    }
}

/// Writes the rotation (row-major) of a unit quaternion w, x, y, z.
RIGCAST_DEVICE inline void rotation_of_quaternion(const double* q, double* r) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = 1.0 - 2.0 * (y * y + z * z), r[1] = 2.0 * (x * y - w * z), r[2] = 2.0 * (x * z + w * y);
    r[3] = 2.0 * (x * y + w * z), r[4] = 1.0 - 2.0 * (x * x + z * z), r[5] = 2.0 * (y * z - w * x);
    r[6] = 2.0 * (x * z - w * y), r[7] = 2.0 * (y * z + w * x), r[8] = 1.0 - 2.0 * (x * x + y * y);
}

/// Writes the rotation R that maximizes tr(R^T A): its quaternion is the eigenvector of the largest eigenvalue of a
/// symmetric matrix (Horn 1987), so that it never mirrors. Numbers that are not finite give a rotation that is not.
RIGCAST_DEVICE inline void nearest_rotation(const double* a, double* rotation) {
    constexpr int sweeps = 12;           // Jacobi converges quadratically: about five do it; chosen, not tuned
    constexpr double converged = 1e-18;  // off the diagonal, as a share of the diagonal
    double n[4][4] = {
        {a[0] + a[4] + a[8], a[7] - a[5], a[2] - a[6], a[3] - a[1]},
        {a[7] - a[5], a[0] - a[4] - a[8], a[1] + a[3], a[2] + a[6]},
        {a[2] - a[6], a[1] + a[3], a[4] - a[0] - a[8], a[5] + a[7]},
        {a[3] - a[1], a[2] + a[6], a[5] + a[7], a[8] - a[0] - a[4]},
    };
    double v[4][4] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        double beside = 0.0, diagonal = 0.0;
        for (int p = 0; p < 4; ++p) {
            diagonal += fabs(n[p][p]);
            for (int q = p + 1; q < 4; ++q) beside += fabs(n[p][q]);
        }
        if (beside <= converged * diagonal) break;
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) jacobi_rotation(n, v, p, q);
        }
    }
    int largest = 0;
    for (int i = 1; i < 4; ++i) {
        if (n[i][i] > n[largest][largest]) largest = i;
    }
    const double quaternion[4] = {v[0][largest], v[1][largest], v[2][largest], v[3][largest]};
    rotation_of_quaternion(quaternion, rotation);
}

/// Writes the matrix M (3, 3) with omega = M axial(R^T dA) for R = nearest_rotation(A), dR = R [omega]x: the inverse of
/// tr(P) I - P, P = R^T A. 0 if the rotation is not differentiable.
RIGCAST_DEVICE inline void omega_matrix(const double* a, const double* r, double* m) {
    constexpr double singular_determinant = 1e-12;  // share of the cubed norm
    double p[9], k[9], norm = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) p[3 * i + j] = r[i] * a[j] + r[3 + i] * a[3 + j] + r[6 + i] * a[6 + j];
    }
    for (int i = 0; i < 9; ++i) {
        k[i] = (i % 4 == 0 ? p[0] + p[4] + p[8] : 0.0) - 0.5 * (p[i] + p[i % 3 * 3 + i / 3]);
        norm += k[i] * k[i];
    }
    for (int i = 0; i < 9; ++i) {  // cofactors; k is symmetric, so is its inverse
        const int r1 = (i / 3 + 1) % 3, r2 = (i / 3 + 2) % 3, c1 = (i % 3 + 1) % 3, c2 = (i % 3 + 2) % 3;
        m[i] = k[3 * r1 + c1] * k[3 * r2 + c2] - k[3 * r1 + c2] * k[3 * r2 + c1];
    }
    const double determinant = k[0] * m[0] + k[1] * m[1] + k[2] * m[2];
    const bool invertible = fabs(determinant) > singular_determinant * norm * sqrt(norm);
    for (int i = 0; i < 9; ++i) m[i] = invertible ? m[i] / determinant : 0.0;
}

}  // namespace rigcast::cuda
