#include "rigcast/rig/rotations/rotation_vector.h"

#include <algorithm>
#include <cmath>

namespace rigcast::rig {
namespace {

/// Below this angle, series replace quotients: their error is then of the order of double precision.
constexpr double small_angle = 1e-3;

/// Writes I + a [w]x + b [w]x^2.
void series_in(const Vec3& w, double a, double b, double* out) {
    const double squared = dot(w, w);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            const double identity = row == column ? 1.0 : 0.0;
            out[3 * row + column] = identity + b * (w[row] * w[column] - squared * identity);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3;
        const int last = (axis + 2) % 3;
        out[3 * last + next] += a * w[axis];
        out[3 * next + last] -= a * w[axis];
    }
}

}  // namespace

void rotation_of(const Vec3& w, double* rotation) {
    const double t = length(w);
    const bool small = t < small_angle;
    series_in(w, small ? 1.0 - t * t / 6.0 : std::sin(t) / t,
              small ? 0.5 - t * t / 24.0 : (1.0 - std::cos(t)) / (t * t), rotation);
}

void left_jacobian(const Vec3& w, double* jacobian) {
    const double t = length(w);
    const bool small = t < small_angle;
    series_in(w, small ? 0.5 - t * t / 24.0 : (1.0 - std::cos(t)) / (t * t),
              small ? 1.0 / 6.0 - t * t / 120.0 : (t - std::sin(t)) / (t * t * t), jacobian);
}

/// The angle from sine and cosine; near pi, where the sine loses the axis, the axis is that of R + R^T.
Vec3 rotation_vector(const double* r) {
    const Vec3 twice_sine{r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    const double sine = 0.5 * length(twice_sine);
    const double cosine = 0.5 * (r[0] + r[4] + r[8] - 1.0);
    const double angle = std::atan2(sine, cosine);
    if (cosine > -0.9) {
        const double factor = angle < small_angle ? 0.5 + angle * angle / 12.0 : 0.5 * angle / sine;
        return factor * twice_sine;
    }
    int largest = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if (r[4 * axis] > r[4 * largest]) largest = axis;
    }
    Vec3 axis;
    for (int i = 0; i < 3; ++i) {
        axis[i] = 0.5 * (r[3 * i + largest] + r[3 * largest + i]) - (i == largest ? cosine : 0.0);
    }
    const double side = dot(axis, twice_sine) < 0.0 ? -1.0 : 1.0;
    return (side * angle / length(axis)) * axis;
}

void inverse_right_jacobian(const Vec3& w, double* jacobian) {
    const double t = length(w);
    const double b = t < small_angle ? 1.0 / 12.0 + t * t / 720.0 : (1.0 - 0.5 * t / std::tan(0.5 * t)) / (t * t);
    series_in(w, 0.5, b, jacobian);
}

}  // namespace rigcast::rig
