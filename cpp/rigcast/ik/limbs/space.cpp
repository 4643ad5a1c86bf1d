#include "rigcast/ik/limbs/space.h"

namespace rigcast::ik {

/// R = I + [v]x + [v]x^2 / (1 + c) with v = a x b, c = a . b.
Matrix3 smallest_rotation(const Vec3& a, const Vec3& b, const Vec3& axis) {
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

Transform inverse(const Transform& a) {
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

}  // namespace rigcast::ik
