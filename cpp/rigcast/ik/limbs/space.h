#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "rigcast/linalg/vec3.h"
#include "rigcast/rig/channels/skeleton.h"

namespace rigcast::ik {
using linalg::Vec3;

/// A 3x3 matrix, row-major.
using Matrix3 = std::array<double, 9>;

inline Vec3 operator*(const Matrix3& m, const Vec3& p) {
    return {m[0] * p[0] + m[1] * p[1] + m[2] * p[2], m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
            m[6] * p[0] + m[7] * p[1] + m[8] * p[2]};
}
inline Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
    Matrix3 out{};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c)
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
    }
    return out;
}
inline Matrix3 transposed(const Matrix3& m) {
    return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}

/// The unit vector along v; `otherwise` if v is zero.
inline Vec3 unit(const Vec3& v, const Vec3& otherwise) {
    const double norm = length(v);
    return norm > 0.0 ? (1.0 / norm) * v : otherwise;
}

/// A unit vector perpendicular to v: towards the coordinate axis least aligned with it.
inline Vec3 any_perpendicular(const Vec3& v) {
    const std::array<double, 3> size{std::abs(v[0]), std::abs(v[1]), std::abs(v[2])};
    Vec3 axis{};
    axis[std::min_element(size.begin(), size.end()) - size.begin()] = 1.0;
    return unit(cross(v, axis), axis);
}

/// The part of v perpendicular to the unit vector n, as a unit vector.
inline Vec3 perpendicular_part(const Vec3& v, const Vec3& n) {
    return unit(v - dot(v, n) * n, any_perpendicular(n));
}

/// The rotation by the smallest angle that takes unit vector a to unit vector b; if they are opposite, by 180 degrees
/// about the part of `axis` perpendicular to a. R = I + [v]x + [v]x^2 / (1 + c) with v = a x b, c = a . b.
inline Matrix3 smallest_rotation(const Vec3& a, const Vec3& b, const Vec3& axis) {
    const double c = dot(a, b);
    if (c < -1.0 + 1e-12) {
        const Vec3 k = perpendicular_part(axis, a);  // by 180 degrees about k: 2 k k^T - I
        Matrix3 half{};
        for (int i = 0; i < 9; ++i) half[i] = 2.0 * k[i / 3] * k[i % 3] - (i % 4 == 0 ? 1.0 : 0.0);
        return half;
    }
    const Vec3 v = cross(a, b);
    const Matrix3 skew{0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
    const Matrix3 square = skew * skew;
    Matrix3 rotation{};
    for (int i = 0; i < 9; ++i) rotation[i] = (i % 4 == 0 ? 1.0 : 0.0) + skew[i] + square[i] / (1.0 + c);
    return rotation;
}

/// The rotation whose columns are x, z x x and z: x along the unit vector `bone`, z along the part of `hinge`
/// perpendicular to it.
inline Matrix3 bone_frame(const Vec3& bone, const Vec3& hinge) {
    const Vec3 z = perpendicular_part(hinge, bone);
    const Vec3 y = cross(z, bone);
    return {bone[0], y[0], z[0], bone[1], y[1], z[1], bone[2], y[2], z[2]};
}

/// A transform p -> m p + t in double precision.
struct Transform {
    Matrix3 m{1, 0, 0, 0, 1, 0, 0, 0, 1};
    Vec3 t{};

    /// From a 3x4 transform of a pose.
    static Transform at(const float* p) {
        return {{p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10]}, {p[3], p[7], p[11]}};
    }
    void write(float* p) const {
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) p[4 * r + c] = static_cast<float>(m[3 * r + c]);
            p[4 * r + 3] = static_cast<float>(t[r]);
        }
    }
    Vec3 operator*(const Vec3& p) const { return m * p + t; }
    Transform operator*(const Transform& b) const { return {m * b.m, m * b.t + t}; }
};

/// The inverse of a transform. Requires a determinant other than zero.
inline Transform inverse(const Transform& a) {
    const Vec3 x{a.m[0], a.m[3], a.m[6]};
    const Vec3 y{a.m[1], a.m[4], a.m[7]};
    const Vec3 z{a.m[2], a.m[5], a.m[8]};
    const double scale = 1.0 / dot(x, cross(y, z));
    const Vec3 rows[3] = {scale * cross(y, z), scale * cross(z, x), scale * cross(x, y)};
    Transform out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out.m[3 * r + c] = rows[r][c];
        out.t[r] = -dot(rows[r], a.t);
    }
    return out;
}

/// The global transform of a joint in a pose (at least 12 J floats), in double precision; of joint -1, the identity.
inline Transform global_of(const rig::Skeleton& skeleton, int joint, const float* pose) {
    Transform global;
    for (; joint >= 0; joint = skeleton.parents()[static_cast<std::size_t>(joint)]) {
        global = Transform::at(pose + 12 * joint) * global;
    }
    return global;
}

}  // namespace rigcast::ik
