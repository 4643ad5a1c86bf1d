#pragma once
#include <algorithm>
#include <cmath>

namespace rigcast::optimize {

/// The v in [low, high] that minimizes q v + r v^2 + s v^4, r >= 0 and s >= 0 (Rackovic et al. 2022, eq. 20); 0,
/// clipped, if q, r and s are 0. The function is convex, so v is the one real root of its derivative 4 s v^3 + 2 r v +
/// q, clipped. Cardano's formula loses all digits if s is small; the hyperbolic form does not: with P = r / (2 s) and
/// Q = q / (4 s),
///   v = -2 sqrt(P / 3) sinh(asinh(3 Q / (2 P) sqrt(3 / P)) / 3).
inline double minimize_quartic(double q, double r, double s, double low, double high) {
    double root = 0.0;
    if (q != 0.0) {
        const double p = s > 0.0 ? r / (2.0 * s) : 0.0;
        const double steepness = p > 0.0 ? 3.0 * q / (4.0 * r) * std::sqrt(3.0 / p) : 0.0;
        if (s > 0.0 && p > 0.0 && std::isfinite(p) && std::isfinite(steepness)) {
            root = -2.0 * std::sqrt(p / 3.0) * std::sinh(std::asinh(steepness) / 3.0);
        } else if (r > 0.0) {
            root = -q / (2.0 * r);
        } else {
            root = s > 0.0 ? -std::cbrt(q / (4.0 * s)) : -q * HUGE_VAL;
        }
    }
    return std::clamp(root, low, high);
}

}  // namespace rigcast::optimize
