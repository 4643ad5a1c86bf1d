#include "rigcast/inverse/published/majorize_minimize.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"

namespace rigcast::inverse {
namespace {

/// Half of a bound on the coefficient of v_first v_second in a column's activation. `first` and `second` are variables;
/// in a matrix, their rows.
struct Coupling {
    std::int32_t first;
    std::int32_t second;
    std::int32_t column;
    double strength;
};

/// The largest |value| and |slope| of a driver over [low, high].
struct Extremes {
    double value;
    double slope;
};

Extremes extremes(const optimize::Driver& driver, double low, double high) {
    if (!driver.is_tent) return {std::max(std::abs(low), std::abs(high)), 1.0};
    const auto& tent = driver.tent;
    const double value = low <= tent.x2 && tent.x2 <= high ? 1.0 : std::max(driver.value(low), driver.value(high));
    double slope = 0.0;
    if (low < tent.x2 && high > tent.x1) slope = 1.0 / (tent.x2 - tent.x1);
    if (low < tent.x3 && high > tent.x2) slope = std::max(slope, 1.0 / (tent.x3 - tent.x2));
    return {value, slope};
}

bool is_product_of_two_weights(std::span<const optimize::Driver> drivers) {
    return drivers.size() == 2 && !drivers[0].is_tent && !drivers[1].is_tent;
}

std::vector<Coupling> products_of_two_weights(const optimize::ProductModel& products) {
    std::vector<Coupling> couplings;
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        const std::span<const optimize::Driver> drivers = products.drivers(n);
        if (is_product_of_two_weights(drivers)) {
            couplings.push_back({drivers[0].variable, drivers[1].variable, static_cast<std::int32_t>(n), 0.5});
        }
    }
    return couplings;
}

std::vector<Coupling> other_products(const optimize::ProductModel& products, View<const double, 2> box) {
    std::vector<Coupling> couplings;
    for (std::int64_t n = 0; n < products.num_columns(); ++n) {
        const std::span<const optimize::Driver> drivers = products.drivers(n);
        if (drivers.size() < 2 || is_product_of_two_weights(drivers)) continue;
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

struct Spectrum {
    double lowest = 0.0;
    double highest = 0.0;
};

/// Finds the extreme eigenvalues of the couplings' matrix at one coordinate. Its rows are the variables that the
/// couplings of columns that move the coordinate name.
class SpectrumSolver {
public:
    SpectrumSolver(std::int64_t num_variables, View<const float, 3> columns)
        : columns_(columns), row_(num_variables, -1) {}

    /// `absolute`: with the absolute values of the columns.
    Spectrum at(std::int64_t coordinate, const std::vector<Coupling>& couplings, bool absolute) {
        present_.clear();
        variables_.clear();
        for (const Coupling& c : couplings) {
            const float moved = columns_.row(c.column)[coordinate];
            if (moved == 0.0f || c.strength == 0.0) continue;
            const double entry = c.strength * (absolute ? std::abs(moved) : moved);
            present_.push_back({row(c.first), row(c.second), c.column, entry});
        }
        for (const std::int32_t variable : variables_) row_[variable] = -1;
        if (present_.empty()) return {};
        const Eigen::Index size = static_cast<Eigen::Index>(variables_.size());
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
    std::int32_t row(std::int32_t variable) {
        if (row_[variable] < 0) {
            row_[variable] = static_cast<std::int32_t>(variables_.size());
            variables_.push_back(variable);
        }
        return row_[variable];
    }

    View<const float, 3> columns_;
    std::vector<std::int32_t> row_;        // (K): of a variable in the matrix, or -1
    std::vector<std::int32_t> variables_;  // of the rows
    std::vector<Coupling> present_;        // those of the coordinate
    Eigen::MatrixXd matrix_;
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver_;
};

constexpr const char* class_name = "MajorizeMinimize";

std::vector<std::vector<std::int32_t>> groups_of(View<const std::int64_t, 1> ties) {
    std::vector<std::vector<std::int32_t>> by_owner(ties.size());
    std::vector<std::vector<std::int32_t>> groups;
    for (std::int64_t k = 0; k < ties.size(); ++k) by_owner[ties(k)].push_back(static_cast<std::int32_t>(k));
    for (auto& group : by_owner) {
        if (!group.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

CorrectiveBounds corrective_bounds(const optimize::ProductModel& products, View<const float, 3> columns,
                                   View<const double, 2> box, int threads) {
    constexpr std::int64_t coordinates_per_piece = 96;  // of work for a thread; chosen, not tuned
    const std::vector<Coupling> pairs = products_of_two_weights(products);
    const std::vector<Coupling> others = other_products(products, box);
    const std::int64_t count = columns.extent(1) * 3;
    std::vector<Spectrum> of_pairs(count);
    std::vector<Spectrum> of_others(count);
    if (!pairs.empty() || !others.empty()) {
        parallel_for(count, coordinates_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
            SpectrumSolver spectrum(products.num_variables(), columns);
            for (std::int64_t i = begin; i < end; ++i) {
                of_pairs[i] = spectrum.at(i, pairs, false);
                of_others[i] = spectrum.at(i, others, true);
            }
        });
    }
    CorrectiveBounds bounds;
    for (std::int64_t i = 0; i < count; ++i) {
        if (of_pairs[i].highest == 0.0 && of_others[i].highest == 0.0) continue;
        bounds.coordinate.push_back(i);
        bounds.lowest.push_back(of_pairs[i].lowest);
        bounds.highest.push_back(of_pairs[i].highest);
        bounds.other.push_back(of_others[i].highest);
    }
    return bounds;
}

MajorizeMinimize::MajorizeMinimize(optimize::ProductModel products, View<const float, 3> columns,
                                   View<const double, 2> gram, View<const double, 1> vertex_weights,
                                   View<const double, 2> box, View<const std::int64_t, 1> ties, int threads)
    : products_(std::move(products)), num_vertices_(columns.extent(1)), gram_(gram.begin(), gram.end()) {
    const std::int64_t num_columns = products_.num_columns();
    check_shape(class_name, "columns", columns, {num_columns, -1, 3});
    check_shape(class_name, "gram", gram, {num_columns, num_columns});
    check_shape(class_name, "vertex_weights", vertex_weights, {num_vertices_});
    check_shape(class_name, "box", box, {num_shapes(), 2});
    check_shape(class_name, "ties", ties, {num_shapes()});
    for (const std::int64_t owner : ties) {
        if (owner >= 0 && owner < num_shapes()) continue;
        throw bad_argument(class_name, "ties", std::to_string(owner) + " somewhere",
                           "shape indices below " + std::to_string(num_shapes()));
    }
    groups_ = groups_of(ties);
    bounds_ = corrective_bounds(products_, columns, box, threads);
    const std::size_t count = bounds_.coordinate.size();
    coordinate_columns_.resize(static_cast<std::size_t>(num_columns) * count);
    for (std::int64_t n = 0; n < num_columns; ++n) {
        for (std::size_t i = 0; i < count; ++i) {
            coordinate_columns_[n * count + i] = columns.row(n)[bounds_.coordinate[i]];
        }
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double sigma = std::max(-bounds_.lowest[i], bounds_.highest[i]) + bounds_.other[i];
        coordinate_weights_.push_back(vertex_weights(bounds_.coordinate[i] / 3));
        sum += coordinate_weights_[i] * sigma * sigma;
    }
    lipschitz_ = std::sqrt(sum);
}

void MajorizeMinimize::check(const Frames& frames) const {
    const std::int64_t count = frames.offsets.extent(0);
    check_shape(class_name, "offsets", frames.offsets, {count, num_vertices_, 3});
    check_shape(class_name, "projections", frames.projections, {count, products_.num_columns()});
    check_shape(class_name, "energies", frames.energies, {count});
    check_shape(class_name, "linear", frames.linear, {count, num_shapes()});
    check_shape(class_name, "curvature", frames.curvature, {count, num_shapes()});
    check_shape(class_name, "lower", frames.lower, {count, num_shapes()});
    check_shape(class_name, "upper", frames.upper, {count, num_shapes()});
}

void MajorizeMinimize::solve(const Frames& frames, const Rule& rule, View<double, 2> weights,
                             View<std::int64_t, 1> iterations, View<bool, 1> converged, int threads) const {
    check(frames);
    const std::int64_t count = frames.offsets.extent(0);
    check_shape(class_name, "weights", weights, {count, num_shapes()});
    check_shape(class_name, "iterations", iterations, {count});
    check_shape(class_name, "converged", converged, {count});
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            FrameState state(*this, frames, t);
            const double least_decrease = rule.tolerance * frames.energies(t);
            double* w = weights.row(t);
            converged(t) = false;
            std::int64_t steps = 0;
            while (steps < rule.max_iterations && !converged(t)) {
                if (!std::isfinite(state.majorize(w).value)) break;  // overflow: the surrogate's decrease is NaN
                const double decrease = rule.lengthened ? state.lengthened_step(w) : state.step(w);
                converged(t) = decrease <= least_decrease && !state.stopped_at_knot();
                ++steps;
            }
            iterations(t) = steps;
        }
    });
}

Surrogate MajorizeMinimize::surrogate(const Frames& frames, std::int64_t frame, View<const double, 1> weights) const {
    check(frames);
    check_shape(class_name, "weights", weights, {num_shapes()});
    if (frame < 0 || frame >= frames.offsets.extent(0)) {
        throw bad_argument(class_name, "frame", std::to_string(frame),
                           "a frame index below " + std::to_string(frames.offsets.extent(0)));
    }
    return FrameState(*this, frames, frame).majorize(weights.data());
}

}  // namespace rigcast::inverse
