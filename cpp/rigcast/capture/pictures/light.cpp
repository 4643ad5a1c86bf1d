#include "rigcast/capture/pictures/light.h"

#include <algorithm>
#include <cmath>

#include "rigcast/linalg/dense_cholesky.h"

namespace rigcast::capture {
namespace {

constexpr double c0 = 0.28209479177387814, c1 = 0.4886025119029199, c2 = 1.0925484305920792;
constexpr double c3 = 0.31539156525252005, c4 = 0.5462742152960396;
constexpr double pivot_floor = 1e-14;  // of the diagonal
constexpr std::int64_t stride = linalg::padded_width(num_harmonics);

/// One least-squares problem of one color, weighted at the light that is there.
void reweight(const LitSamples& samples, int channel, double unit, double ridge, const Light& prior, Light* light) {
    double matrix[stride * num_harmonics] = {}, right[stride] = {}, inverse_diagonal[num_harmonics];
    for (std::size_t i = 0; i < samples.weight.size(); ++i) {
        const auto& y = samples.basis[i];
        const double albedo = samples.albedo[i][channel], color = samples.color[i][channel];
        const double u = (color - albedo * light->at(channel, y)) / unit;
        const double weight = samples.weight[i] * huber_weight(u);
        for (int a = 0; a < num_harmonics; ++a) {
            const double scaled = weight * albedo * y[a];
            for (int b = a; b < num_harmonics; ++b) matrix[a * stride + b] += scaled * albedo * y[b];
            right[a] += scaled * color;
        }
    }
    for (int a = 0; a < num_harmonics; ++a) {
        matrix[a * stride + a] += ridge;
        right[a] += ridge * prior.gamma[channel][a];
    }
    const linalg::DenseCholesky& cholesky = linalg::dense_cholesky();
    if (!cholesky.factorize(matrix, num_harmonics, stride, pivot_floor, inverse_diagonal)) return;
    cholesky.solve(matrix, num_harmonics, stride, inverse_diagonal, right);
    std::copy_n(right, num_harmonics, light->gamma[channel].begin());
}

}  // namespace

std::array<double, num_harmonics> harmonics(const linalg::Vec3& n) {
    const double x = n[0], y = n[1], z = n[2];
    return {
        c0, c1 * x, c1 * y, c1 * z, c2 * x * y, c2 * x * z, c2 * y * z, c3 * (3.0 * z * z - 1.0), c4 * (x * x - y * y)};
}

std::array<linalg::Vec3, num_harmonics> harmonic_slopes(const linalg::Vec3& n) {
    const double x = n[0], y = n[1], z = n[2];
    using linalg::Vec3;
    return {Vec3{0, 0, 0},           Vec3{c1, 0, 0},           Vec3{0, c1, 0},
            Vec3{0, 0, c1},          Vec3{c2 * y, c2 * x, 0},  Vec3{c2 * z, 0, c2 * x},
            Vec3{0, c2 * z, c2 * y}, Vec3{0, 0, 6.0 * c3 * z}, Vec3{2.0 * c4 * x, -2.0 * c4 * y, 0}};
}

double huber(double u) {
    const double size = std::fabs(u);
    return size <= 1.0 ? size * size : 2.0 * size - 1.0;
}

double huber_weight(double u) {
    return 1.0 / std::max(1.0, std::fabs(u));
}

void fit_light(const LitSamples& samples, double unit, double ridge, const Light& prior, int iterations, Light* light) {
    for (int channel = 0; channel < 3; ++channel) {
        for (int i = 0; i < iterations; ++i) reweight(samples, channel, unit, ridge, prior, light);
    }
}

}  // namespace rigcast::capture
