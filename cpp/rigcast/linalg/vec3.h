#pragma once
#include <array>
#include <cmath>
#include <cstdint>

namespace rigcast::linalg {

/// A point or vector in space. Vec3, in double precision, is the usual one.
template <class Real>
struct Vector3 : std::array<Real, 3> {
    /// Entry i of points (N, 3).
    template <class Other>
    static Vector3 at(const Other* points, std::int64_t i = 0) {
        const Other* p = points + 3 * i;
        return {static_cast<Real>(p[0]), static_cast<Real>(p[1]), static_cast<Real>(p[2])};
    }
    /// Adds to entry i of points (N, 3).
    void add_to(Real* points, std::int64_t i = 0) const {
        for (int axis = 0; axis < 3; ++axis) points[3 * i + axis] += (*this)[axis];
    }
    /// Writes the three coordinates to p.
    void write(Real* p) const {
        for (int axis = 0; axis < 3; ++axis) p[axis] = (*this)[axis];
    }
};

using Vec3 = Vector3<double>;

template <class Real>
Vector3<Real> operator+(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class Real>
Vector3<Real> operator-(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class Real>
Vector3<Real> operator*(Real s, const Vector3<Real>& a) {
    return {s * a[0], s * a[1], s * a[2]};
}
template <class Real>
Real dot(const Vector3<Real>& a, const Vector3<Real>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class Real>
Vector3<Real> cross(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class Real>
Real length(const Vector3<Real>& a) {
    return std::sqrt(dot(a, a));
}

/// points_i - points_j of points (N, 3), in double.
template <class Other>
Vec3 difference(const Other* points, std::int64_t i, std::int64_t j) {
    return Vec3::at(points, i) - Vec3::at(points, j);
}

}  // namespace rigcast::linalg
