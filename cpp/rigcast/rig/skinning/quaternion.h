#pragma once
#include <cmath>

namespace rigcast::rig {

/// w + x i + y j + z k. A unit quaternion q rotates a vector v to q v q*.
template <class T>
struct Quaternion {
    T w = 0;
    T x = 0;
    T y = 0;
    T z = 0;

    static Quaternion vector(const T* v) { return {T(0), v[0], v[1], v[2]}; }
    void vector_part(T* v) const {
        v[0] = x;
        v[1] = y;
        v[2] = z;
    }
};

template <class T>
Quaternion<T> conjugate(const Quaternion<T>& q) {
    return {q.w, -q.x, -q.y, -q.z};
}

template <class T>
Quaternion<T> operator+(const Quaternion<T>& a, const Quaternion<T>& b) {
    return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
Quaternion<T> operator*(T s, const Quaternion<T>& q) {
    return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// Hamilton's product. Always inlined: compilers inline only some calls, and the others cost a fifth of skinning time.
template <class T>
[[gnu::always_inline]] inline Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

template <class T>
T dot(const Quaternion<T>& a, const Quaternion<T>& b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The unit quaternion of a rotation matrix r (3, 3), row-major and for column vectors. Of its two signs, the one whose
/// largest component is positive. Method: Shepperd (1978) divides by the largest component.
inline Quaternion<double> from_rotation(const double* r) {
    const double squares[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                               1 - r[0] - r[4] + r[8]};
    int largest = 0;
    for (int i = 1; i < 4; ++i) {
        if (squares[i] > squares[largest]) largest = i;
    }
    const double root = std::sqrt(squares[largest]);
    const double half = 0.5 * root;
    const double f = 0.5 / root;
    switch (largest) {
        case 0:
            return {half, f * (r[7] - r[5]), f * (r[2] - r[6]), f * (r[3] - r[1])};
        case 1:
            return {f * (r[7] - r[5]), half, f * (r[1] + r[3]), f * (r[2] + r[6])};
        case 2:
            return {f * (r[2] - r[6]), f * (r[1] + r[3]), half, f * (r[5] + r[7])};
        default:
            return {f * (r[3] - r[1]), f * (r[2] + r[6]), f * (r[5] + r[7]), half};
    }
}

}  // namespace rigcast::rig
