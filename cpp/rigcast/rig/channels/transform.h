#pragma once
#include <cmath>

namespace rigcast::rig {

/// A 3x4 transform is twelve floats, row-major: [r00 r01 r02 tx  r10 r11 r12 ty  r20 r21 r22 tz]. It maps a column
/// vector p to R p + t.

/// out = a b (b is applied first), computed in the type of `out`. `out` may not overlap a or b.
template <class A, class B, class Out>
void compose(const A* a, const B* b, Out* out) {
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 4; ++column) {
            Out sum = column == 3 ? Out(a[row * 4 + 3]) : Out(0);
            for (int k = 0; k < 3; ++k) sum += Out(a[row * 4 + k]) * Out(b[k * 4 + column]);
            out[row * 4 + column] = sum;
        }
    }
}

/// out = R p + t.
inline void apply(const float* transform, const float* point, float* out) {
    for (int row = 0; row < 3; ++row) {
        const float* r = transform + row * 4;
        out[row] = r[0] * point[0] + r[1] * point[1] + r[2] * point[2] + r[3];
    }
}

/// Determinant of the 3x3 part, in double precision.
inline double determinant(const float* m) {
    const double a = m[0], b = m[1], c = m[2], d = m[4], e = m[5], f = m[6], g = m[8], h = m[9], i = m[10];
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

/// The inverse transform, computed in double precision. Requires: invertible(m).
inline void invert(const float* m, float* out) {
    const double a = m[0], b = m[1], c = m[2], d = m[4], e = m[5], f = m[6], g = m[8], h = m[9], i = m[10];
    const double scale = 1.0 / determinant(m);
    const double r[9] = {(e * i - f * h) * scale, (c * h - b * i) * scale, (b * f - c * e) * scale,
                         (f * g - d * i) * scale, (a * i - c * g) * scale, (c * d - a * f) * scale,
                         (d * h - e * g) * scale, (b * g - a * h) * scale, (a * e - b * d) * scale};
    for (int row = 0; row < 3; ++row) {
        double t = 0.0;
        for (int k = 0; k < 3; ++k) {
            out[row * 4 + k] = static_cast<float>(r[row * 3 + k]);
            t -= r[row * 3 + k] * m[k * 4 + 3];
        }
        out[row * 4 + 3] = static_cast<float>(t);
    }
}

/// Returns true if the 3x3 part is safely invertible: its determinant exceeds 1e-6 times the product of its rows'
/// norms, far above the rounding of float32, and that product is no underflow.
inline bool invertible(const float* m) {
    double scale = 1.0;
    for (int row = 0; row < 3; ++row) {
        const double x = m[row * 4];
        const double y = m[row * 4 + 1];
        const double z = m[row * 4 + 2];
        scale *= std::sqrt(x * x + y * y + z * z);
    }
    const double value = determinant(m);
    return std::isfinite(value) && scale > 1e-30 && std::abs(value) > 1e-6 * scale;
}

}  // namespace rigcast::rig
