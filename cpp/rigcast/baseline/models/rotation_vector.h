#pragma once
#include <cmath>

#include "rigcast/rig/skinning/quaternion.h"

namespace rigcast::baseline {

/// The rotation vector r (axis times angle, at most pi) of a rotation matrix R (3, 3). Jumps at half turns.
inline void rotation_vector(const double* rotation, double* r) {
    rig::Quaternion<double> q = rig::from_rotation(rotation);
    if (q.w < 0.0) q = -1.0 * q;
    const double sine = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    const double scale = sine > 1e-12 ? 2.0 * std::atan2(sine, q.w) / sine : 2.0;
    r[0] = scale * q.x;
    r[1] = scale * q.y;
    r[2] = scale * q.z;
}

/// R = exp([r]x) (Rodrigues).
inline void rotation_matrix(const double* r, double* rotation) {
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const double angle = std::sqrt(square);
    const bool small = angle < 1e-4;
    const double a = small ? 1.0 - square / 6.0 : std::sin(angle) / angle;
    const double b = small ? 0.5 - square / 24.0 : (1.0 - std::cos(angle)) / square;
    const double cross[9] = {0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double squared = r[i] * r[j] - (i == j ? square : 0.0);  // [r]x [r]x
            rotation[3 * i + j] = (i == j ? 1.0 : 0.0) + a * cross[3 * i + j] + b * squared;
        }
    }
}

/// The derivative of exp: writes the matrix J (3, 3) with dR = R [J dr]x. The transpose of it maps gradients.
inline void exponential_jacobian(const double* r, double* jacobian) {
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const double angle = std::sqrt(square);
    const bool small = angle < 1e-4;
    const double a = small ? 0.5 - square / 24.0 : (1.0 - std::cos(angle)) / square;
    const double b = small ? 1.0 / 6.0 - square / 120.0 : (angle - std::sin(angle)) / (square * angle);
    const double cross[9] = {0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double squared = r[i] * r[j] - (i == j ? square : 0.0);
            jacobian[3 * i + j] = (i == j ? 1.0 : 0.0) - a * cross[3 * i + j] + b * squared;
        }
    }
}

/// The derivative of rotation_vector: writes the matrix J (3, 3) with dr = J w for dR = R [w]x.
inline void logarithm_jacobian(const double* r, double* jacobian) {
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const double angle = std::sqrt(square);
    const double half = 0.5 * angle;
    const double b =
        angle < 1e-3 ? 1.0 / 12.0 + square / 720.0 : (1.0 - half * std::cos(half) / std::sin(half)) / square;
    const double cross[9] = {0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double squared = r[i] * r[j] - (i == j ? square : 0.0);
            jacobian[3 * i + j] = (i == j ? 1.0 : 0.0) + 0.5 * cross[3 * i + j] + b * squared;
        }
    }
}

}  // namespace rigcast::baseline
