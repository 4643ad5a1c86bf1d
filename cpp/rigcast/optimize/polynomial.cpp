#include "rigcast/optimize/polynomial.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rigcast::optimize {
namespace {

/// The root of a polynomial that is monotone on [low, high] and changes sign there, by bisection to the last bit.
double bracketed_root(std::span<const double> coefficients, double low, double high) {
    const bool rising = polynomial_value(coefficients, high) > 0.0;
    for (;;) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) return middle;
        ((polynomial_value(coefficients, middle) > 0.0) == rising ? high : low) = middle;
    }
}

std::vector<double> derivative(std::span<const double> coefficients) {
    std::vector<double> result;
    for (std::size_t i = 1; i < coefficients.size(); ++i) result.push_back(static_cast<double>(i) * coefficients[i]);
    return result;
}

/// Roots in (low, high), ascending: at most one between two stationary points, where the polynomial is monotone. A
/// stationary point counts if the value there is exactly 0.
std::vector<double> roots(const std::vector<double>& coefficients, double low, double high) {
    if (coefficients.size() < 2) return {};
    std::vector<double> ends{low};
    for (const double stationary : roots(derivative(coefficients), low, high)) ends.push_back(stationary);
    ends.push_back(high);
    std::vector<double> found;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        const double a = polynomial_value(coefficients, ends[i]);
        const double b = polynomial_value(coefficients, ends[i + 1]);
        if ((a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)) {
            found.push_back(bracketed_root(coefficients, ends[i], ends[i + 1]));
        } else if (b == 0.0 && i + 2 < ends.size()) {
            found.push_back(ends[i + 1]);
        }
    }
    return found;
}

}  // namespace

double polynomial_value(std::span<const double> coefficients, double h) {
    double value = 0.0;
    for (std::size_t i = coefficients.size(); i-- > 0;) value = value * h + coefficients[i];
    return value;
}

double polynomial_minimizer(std::span<const double> coefficients, double low, double high) {
    if (coefficients.size() == 3 && coefficients[2] > 0.0) {
        return std::clamp(-coefficients[1] / (2.0 * coefficients[2]), low, high);
    }
    std::vector<double> candidates{low, high};
    if (coefficients.size() > 3) {
        const std::vector<double> stationary = roots(derivative(coefficients), low, high);
        candidates.insert(candidates.begin() + 1, stationary.begin(), stationary.end());
    }
    double best = low;
    double best_value = polynomial_value(coefficients, low);
    for (const double h : candidates) {
        const double value = polynomial_value(coefficients, h);
        if (value < best_value) {
            best = h;
            best_value = value;
        }
    }
    return best;
}

}  // namespace rigcast::optimize
