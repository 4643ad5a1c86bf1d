#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/linalg/vec3.h"

namespace rigcast::capture {

inline constexpr int num_harmonics = 9;

/// Real spherical harmonics Y_b, b < 9, of orders 0 to 2 at a unit vector n (Ramamoorthi and Hanrahan 2001).
std::array<double, num_harmonics> harmonics(const linalg::Vec3& n);
/// Their derivatives (9) by n as polynomials of its three coordinates.
std::array<linalg::Vec3, num_harmonics> harmonic_slopes(const linalg::Vec3& n);

/// Light of one picture: 9 coefficients per color. A surface with albedo a and normal n has the color
/// a_c sum_b gamma_cb Y_b(n).
struct Light {
    std::array<std::array<double, num_harmonics>, 3> gamma{};

    double at(int channel, const std::array<double, num_harmonics>& y) const {
        double sum = 0.0;
        for (int b = 0; b < num_harmonics; ++b) sum += gamma[channel][b] * y[b];
        return sum;
    }
};

/// Colors of S surface points, of which light is fitted.
struct LitSamples {
    std::vector<std::array<double, num_harmonics>> basis;  // (S)
    std::vector<std::array<double, 3>> albedo;             // (S)
    std::vector<std::array<double, 3>> color;              // (S)
    std::vector<double> weight;                            // (S)
};

/// Huber's loss in units of its corner: u^2 up to 1, 2 |u| - 1 beyond; and the weight min(1, 1 / |u|) with which u^2
/// bounds it from above (iterated reweighting).
double huber(double u);
double huber_weight(double u);

/// Minimizes over gamma, for each color c:
///   sum_i q_i huber((I_ic - a_ic sum_b gamma_cb Y_b(n_i)) / unit) + ridge sum_b ((gamma_cb - prior_cb) / unit)^2.
/// Method: `iterations` reweighted least-squares problems in closed form. Guarantee: each lowers that sum or leaves it.
void fit_light(const LitSamples& samples, double unit, double ridge, const Light& prior, int iterations, Light* light);

}  // namespace rigcast::capture
