#include "rigwright/inverse/published/corrective_bounds.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "rigwright/core/parallel.h"

namespace rigwright::inverse {
namespace {

/// A column's coefficient of v_first v_second, times what the column moves.
struct Coupling {
    std::int32_t first, second, column;
    double strength;
};

/// Largest |value| and |slope| of a factor between two bounds.
std::pair<double, double> extremes(const optimize::Driver& f, double low, double high) {
    if (!f.is_tent) return {std::max(std::abs(low), std::abs(high)), 1.0};
    const double value = low <= f.tent.x2 && f.tent.x2 <= high ? 1.0 : std::max(f.value(low), f.value(high));
    double slope = 0.0;
    if (low < f.tent.x2 && high > f.tent.x1) slope = 1.0 / (f.tent.x2 - f.tent.x1);
    if (low < f.tent.x3 && high > f.tent.x2) slope = std::max(slope, 1.0 / (f.tent.x3 - f.tent.x2));
    return {value, slope};
}

bool is_plain_pair(std::span<const optimize::Driver> drivers) {
    return drivers.size() == 2 && !drivers[0].is_tent && !drivers[1].is_tent;
}

std::vector<Coupling> plain_pairs(const optimize::ProductModel& products) {
    std::vector<Coupling> couplings;
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        const std::span<const optimize::Driver> drivers = products.drivers(n);
        if (is_plain_pair(drivers)) {
            couplings.push_back({drivers[0].variable, drivers[1].variable, static_cast<std::int32_t>(n), 0.5});
        }
    }
    return couplings;
}

std::vector<Coupling> other_products(const optimize::ProductModel& products, View<const double, 2> box) {
    std::vector<Coupling> couplings;
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        const std::span<const optimize::Driver> drivers = products.drivers(n);
        if (drivers.size() < 2 || is_plain_pair(drivers)) continue;
        for (std::size_t k = 0; k < drivers.size(); ++k) {
            for (std::size_t l = k + 1; l < drivers.size(); ++l) {
                double strength = 0.5;
                for (std::size_t f = 0; f < drivers.size(); ++f) {
                    const std::int32_t j = drivers[f].variable;
                    const auto [value, slope] = extremes(drivers[f], box(j, 0), box(j, 1));
                    strength *= f == k || f == l ? slope : value;
                }
                couplings.push_back({drivers[k].variable, drivers[l].variable, static_cast<std::int32_t>(n), strength});
            }
        }
    }
    return couplings;
}

struct Range {
    double lowest = 0.0, highest = 0.0;
};

/// Smallest and largest eigenvalue of the couplings' matrix at one coordinate, over the variables that it couples.
class Spectrum {
public:
    Spectrum(std::int64_t num_variables, View<const float, 3> columns) : columns_(columns), place_(num_variables, -1) {}

    Range at(std::int64_t coordinate, const std::vector<Coupling>& couplings, bool absolute) {
        present_.clear();
        used_.clear();
        for (const Coupling& c : couplings) {
            const float moved = columns_.row(c.column)[coordinate];
            if (moved == 0.0f || c.strength == 0.0) continue;
            const double entry = c.strength * (absolute ? std::abs(moved) : moved);
            present_.push_back({place(c.first), place(c.second), c.column, entry});
        }
        for (const std::int32_t variable : used_) place_[variable] = -1;
        if (present_.empty()) return {};
        const Eigen::Index size = static_cast<Eigen::Index>(used_.size());
        matrix_.setZero(size, size);
        for (const Coupling& c : present_) {
            matrix_(c.first, c.second) += c.strength;
            matrix_(c.second, c.first) += c.strength;
        }
        if (size == 2) return {-std::abs(matrix_(0, 1)), std::abs(matrix_(0, 1))};
        solver_.compute(matrix_, Eigen::EigenvaluesOnly);
        return {solver_.eigenvalues().minCoeff(), solver_.eigenvalues().maxCoeff()};
    }

private:
    std::int32_t place(std::int32_t variable) {
        if (place_[variable] < 0) {
            place_[variable] = static_cast<std::int32_t>(used_.size());
            used_.push_back(variable);
        }
        return place_[variable];
    }

    View<const float, 3> columns_;
    std::vector<std::int32_t> place_, used_;
    std::vector<Coupling> present_;
    Eigen::MatrixXd matrix_;
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver_;
};

}  // namespace

CorrectiveBounds corrective_bounds(const optimize::ProductModel& products, View<const float, 3> columns,
                                   View<const double, 2> box, int threads) {
    const std::vector<Coupling> pairs = plain_pairs(products), others = other_products(products, box);
    const std::int64_t count = columns.extent(1) * 3;
    std::vector<Range> pair_range(count), other_range(count);
    if (!pairs.empty() || !others.empty()) {
        parallel_for(count, 96, threads, [&](std::int64_t begin, std::int64_t end) {
            Spectrum spectrum(products.num_variables(), columns);
            for (std::int64_t i = begin; i < end; ++i) {
                pair_range[i] = spectrum.at(i, pairs, false);
                other_range[i] = spectrum.at(i, others, true);
            }
        });
    }
    CorrectiveBounds bounds;
    for (std::int64_t i = 0; i < count; ++i) {
        if (pair_range[i].highest == 0.0 && other_range[i].highest == 0.0) continue;
        bounds.coordinate.push_back(i);
        bounds.lowest.push_back(pair_range[i].lowest);
        bounds.highest.push_back(pair_range[i].highest);
        bounds.other.push_back(other_range[i].highest);
    }
    return bounds;
}

}  // namespace rigwright::inverse
