#pragma once
#include <array>
#include <cmath>

#include "rigcast/linalg/vec3.h"

namespace rigcast::rig {

using linalg::Vec3;

/// A 3x3 matrix in double precision, row-major.
struct Matrix3 : std::array<double, 9> {
    static Matrix3 identity() { return {1, 0, 0, 0, 1, 0, 0, 0, 1}; }
    Vec3 column(int c) const { return {(*this)[c], (*this)[3 + c], (*this)[6 + c]}; }
    void set_column(int c, const Vec3& v) {
        for (int r = 0; r < 3; ++r) (*this)[3 * r + c] = v[r];
    }
    void scale_column(int c, double factor) {
        for (int r = 0; r < 3; ++r) (*this)[3 * r + c] *= factor;
    }
};

/// Maps a point p to linear p + location.
struct Affine {
    Matrix3 linear = Matrix3::identity();
    Vec3 location{0, 0, 0};
};

inline Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
    Matrix3 out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
        }
    }
    return out;
}
inline Vec3 operator*(const Matrix3& a, const Vec3& v) {
    return {a[0] * v[0] + a[1] * v[1] + a[2] * v[2], a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
            a[6] * v[0] + a[7] * v[1] + a[8] * v[2]};
}
inline Matrix3 operator*(double s, Matrix3 a) {
    for (double& x : a) x *= s;
    return a;
}
inline Matrix3 transpose(const Matrix3& a) {
    return {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
}
inline double determinant(const Matrix3& a) {
    return dot(a.column(0), cross(a.column(1), a.column(2)));
}
/// Infinite or NaN if `a` is singular.
inline Matrix3 inverse(const Matrix3& a) {
    const Vec3 x = cross(a.column(1), a.column(2));
    const Vec3 y = cross(a.column(2), a.column(0));
    const Vec3 z = cross(a.column(0), a.column(1));
    const double s = 1.0 / dot(a.column(0), x);
    return {s * x[0], s * x[1], s * x[2], s * y[0], s * y[1], s * y[2], s * z[0], s * z[1], s * z[2]};
}
/// The lengths of the columns: the scales along the axes.
inline Vec3 scales(const Matrix3& a) {
    return {length(a.column(0)), length(a.column(1)), length(a.column(2))};
}
/// `a` with its columns multiplied by `factors`.
inline Matrix3 scaled(Matrix3 a, const Vec3& factors) {
    for (int c = 0; c < 3; ++c) a.scale_column(c, factors[c]);
    return a;
}
/// `v` of length 1; unchanged if its length is 0.
inline Vec3 unit(const Vec3& v) {
    const double size = length(v);
    return size > 0.0 ? (1.0 / size) * v : v;
}
/// `a` with columns of length 1.
inline Matrix3 unit_columns(Matrix3 a) {
    for (int c = 0; c < 3; ++c) a.set_column(c, unit(a.column(c)));
    return a;
}

inline Vec3 operator*(const Affine& a, const Vec3& p) {
    return a.linear * p + a.location;
}
inline Affine operator*(const Affine& a, const Affine& b) {
    return {a.linear * b.linear, a * b.location};
}
inline Affine inverse(const Affine& a) {
    const Matrix3 linear = inverse(a.linear);
    return {linear, -1.0 * (linear * a.location)};
}

}  // namespace rigcast::rig
