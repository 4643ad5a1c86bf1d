#include "rigcast/rig/rotations/rotations.h"

#include <algorithm>
#include <numbers>

#include "rigcast/core/error.h"
#include "rigcast/linalg/polar.h"

namespace rigcast::rig {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double gimbal_lock = 2e-6;  // cosine of the middle angle; Blender's, in float32
constexpr double no_shear = 1e-4;     // cosine between two axes; Blender leaves less as it is

bool is_odd(const EulerOrder& order) {
    return (order[0] + 1) % 3 != order[1];
}

double magnitude(const Vec3& a) {
    return std::abs(a[0]) + std::abs(a[1]) + std::abs(a[2]);
}

/// Both solutions of the angles.
std::array<Vec3, 2> both_angles(const Matrix3& rotation, const EulerOrder& order) {
    const auto [i, j, k] = order;
    const auto m = [&](int column, int row) { return rotation[3 * row + column]; };
    const double cosine = std::hypot(m(i, i), m(i, j));
    Vec3 a, b;
    if (cosine > gimbal_lock) {
        a[i] = std::atan2(m(j, k), m(k, k));
        a[j] = std::atan2(-m(i, k), cosine);
        a[k] = std::atan2(m(i, j), m(i, i));
        b[i] = std::atan2(-m(j, k), -m(k, k));
        b[j] = std::atan2(-m(i, k), -cosine);
        b[k] = std::atan2(-m(i, j), -m(i, i));
    } else {
        a[i] = std::atan2(-m(k, j), m(j, j));
        a[j] = std::atan2(-m(i, k), cosine);
        a[k] = 0.0;
        b = a;
    }
    if (is_odd(order)) return {-1.0 * a, -1.0 * b};
    return {a, b};
}

/// Whole turns are added to each angle until it is nearest to `old`.
Vec3 nearest_turns(Vec3 angles, const Vec3& old) {
    for (int axis = 0; axis < 3; ++axis) {
        angles[axis] -= 2.0 * pi * std::floor((angles[axis] - old[axis]) / (2.0 * pi) + 0.5);
    }
    return angles;
}

}  // namespace

EulerOrder euler_order(const std::string& name, const std::string& place) {
    std::string sorted = name;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != "XYZ") throw bad_argument("load", place, "'" + name + "'", "an order of X, Y and Z");
    return {name[0] - 'X', name[1] - 'X', name[2] - 'X'};
}

Matrix3 axis_rotation(int axis, double radians) {
    Matrix3 out = Matrix3::identity();
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    out[3 * j + j] = out[3 * k + k] = std::cos(radians);
    out[3 * k + j] = std::sin(radians);
    out[3 * j + k] = -out[3 * k + j];
    return out;
}

Matrix3 rotation_about(const Vec3& w, double radians) {
    const double s = std::sin(radians);
    const double c = std::cos(radians);
    const double d = 1.0 - c;
    return {c + d * w[0] * w[0],        d * w[0] * w[1] - s * w[2], d * w[0] * w[2] + s * w[1],
            d * w[0] * w[1] + s * w[2], c + d * w[1] * w[1],        d * w[1] * w[2] - s * w[0],
            d * w[0] * w[2] - s * w[1], d * w[1] * w[2] + s * w[0], c + d * w[2] * w[2]};
}

Matrix3 rotation_between(const Vec3& from, const Vec3& to) {
    const Vec3 a = unit(from);
    const Vec3 b = unit(to);
    const Vec3 normal = cross(a, b);
    const double sine = length(normal);
    if (sine == 0.0) return Matrix3::identity();
    return rotation_about((1.0 / sine) * normal, std::atan2(sine, dot(a, b)));
}

Matrix3 euler_rotation(const Vec3& angles, const EulerOrder& order) {
    const auto [i, j, k] = order;
    return axis_rotation(k, angles[k]) * axis_rotation(j, angles[j]) * axis_rotation(i, angles[i]);
}

Vec3 euler_angles(const Matrix3& rotation, const EulerOrder& order) {
    const auto [a, b] = both_angles(rotation, order);
    return magnitude(a) > magnitude(b) ? b : a;
}

Vec3 euler_angles_near(const Matrix3& rotation, const Vec3& old, const EulerOrder& order) {
    const auto [a, b] = both_angles(rotation, order);
    const Vec3 first = nearest_turns(a, old);
    const Vec3 second = nearest_turns(b, old);
    return magnitude(first - old) > magnitude(second - old) ? second : first;
}

Matrix3 without_shear(const Matrix3& a, bool to_unit) {
    Vec3 y = a.column(1);
    Vec3 z = a.column(2);
    Vec3 x = a.column(0);
    if (const double squared = dot(y, y); squared > 0.0) {
        z = z - (dot(z, y) / squared) * y;
        x = x - (dot(x, y) / squared) * y;
        if (to_unit) y = (1.0 / std::sqrt(squared)) * y;
    }
    const double z_length = length(z);
    const double x_length = length(x);
    Vec3 z_unit = unit(z);
    Vec3 x_unit = unit(x);
    const double cosine = dot(z_unit, x_unit);
    if (std::abs(cosine) > no_shear && std::abs(cosine) < 1.0) {
        const double angle = std::acos(cosine);
        const double target = 0.5 * (angle + 0.5 * pi);  // half of the correction for each axis
        z_unit = std::sin(target) * unit(z_unit - cosine * x_unit) + std::cos(target) * x_unit;
        x_unit = unit(cross(cross(z_unit, x_unit), z_unit));
        const double factor = std::sqrt(std::sin(angle));
        z = (z_length * factor) * z_unit;
        x = (x_length * factor) * x_unit;
    }
    Matrix3 out;
    out.set_column(0, to_unit ? x_unit : x);
    out.set_column(1, y);
    out.set_column(2, to_unit ? z_unit : z);
    return out;
}

RotationScales rotation_and_scales(const Matrix3& a) {
    RotationScales out{unit_columns(a), scales(a)};
    if (determinant(out.rotation) < 0.0) {
        out.rotation = -1.0 * out.rotation;
        out.scales = -1.0 * out.scales;
    }
    return out;
}

Affine interpolate(const Affine& a, const Affine& b, double share) {
    const linalg::Polar first = linalg::polar_decomposition(a.linear.data());
    const linalg::Polar second = linalg::polar_decomposition(b.linear.data());
    Matrix3 from, to, stretch;
    std::copy_n(first.rotation, 9, from.begin());
    std::copy_n(second.rotation, 9, to.begin());
    for (int e = 0; e < 9; ++e) stretch[e] = (1.0 - share) * first.stretch[e] + share * second.stretch[e];
    const Matrix3 turn = transpose(from) * to;
    const Vec3 axis{turn[7] - turn[5], turn[2] - turn[6], turn[3] - turn[1]};  // 2 sin(angle) times the axis
    const double angle = std::atan2(length(axis), turn[0] + turn[4] + turn[8] - 1.0);
    const Matrix3 part = rotation_about(unit(axis), share * angle);
    return {from * part * stretch, (1.0 - share) * a.location + share * b.location};
}

}  // namespace rigcast::rig
