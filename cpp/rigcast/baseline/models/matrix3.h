#pragma once
#include <algorithm>

/// Matrices (3, 3), row-major, and vectors (3) in double precision. Outputs must not overlap inputs.
namespace rigcast::baseline {

/// c = a b, with the transpose of a or b if asked for; (3, 3) each.
template <bool TransposeA = false, bool TransposeB = false>
void multiply(const double* a, const double* b, double* c) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k)
                sum += a[TransposeA ? 3 * k + i : 3 * i + k] * b[TransposeB ? 3 * j + k : 3 * k + j];
            c[3 * i + j] = sum;
        }
    }
}

/// The linear part of a transform (3, 4).
inline void linear_part(const float* transform, double* out) {
    for (int e = 0; e < 9; ++e) out[e] = transform[4 * (e / 3) + e % 3];
}

/// [w]x.
inline void cross_matrix(const double* w, double* out) {
    const double entries[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    std::copy_n(entries, 9, out);
}

/// out = matrix v.
inline void apply(const double* matrix, const double* v, double* out) {
    for (int i = 0; i < 3; ++i) out[i] = matrix[3 * i] * v[0] + matrix[3 * i + 1] * v[1] + matrix[3 * i + 2] * v[2];
}

/// out = matrix^T v.
inline void apply_transposed(const double* matrix, const double* v, double* out) {
    for (int i = 0; i < 3; ++i) out[i] = matrix[i] * v[0] + matrix[3 + i] * v[1] + matrix[6 + i] * v[2];
}

}  // namespace rigcast::baseline
