#pragma once
#include <span>
#include <vector>

#include "rigcast/optimize/smooth/minimization.h"

namespace rigcast::optimize {

/// Finds a step along a direction that satisfies the strong Wolfe conditions (Nocedal and Wright 2006, algorithms 3.5
/// and 3.6; minimizers of cubics through values and slopes).
class WolfeSearch {
public:
    WolfeSearch(const SmoothFunction& f, std::size_t size) : f_(&f), point_(size), gradient_(size) {}

    /// Searches from x, with f(x) = value, along a direction of negative slope. Returns true if a lower point was
    /// found: point(), gradient() and value() are then its own.
    bool search(std::span<const double> x, double value, std::span<const double> gradient,
                std::span<const double> direction, double first_step);
    const std::vector<double>& point() const { return point_; }
    const std::vector<double>& gradient() const { return gradient_; }
    double value() const { return value_; }
    std::int64_t evaluations() const { return evaluations_; }

private:
    static constexpr double sufficient_decrease = 1e-4;
    static constexpr double curvature = 0.9;
    static constexpr int most_evaluations = 30;

    struct Trial {
        double step;
        double value;
        double slope;
    };
    Trial evaluate(double step);
    bool is_low(const Trial& trial) const;
    bool zoom(Trial low, Trial high, int evaluations);

    const SmoothFunction* f_;
    std::span<const double> start_;
    std::span<const double> direction_;
    double start_value_ = 0.0;
    double start_slope_ = 0.0;
    std::vector<double> point_;
    std::vector<double> gradient_;
    double value_ = 0.0;
    std::int64_t evaluations_ = 0;
};

}  // namespace rigcast::optimize
