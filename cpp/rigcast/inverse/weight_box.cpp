#include "rigcast/inverse/weight_box.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::inverse {
namespace {

constexpr double largest_weight = 1e12;  // of larger ones the objective may overflow

std::string describe_bounds(double low, double high) {
    return "[" + describe_number(low) + ", " + describe_number(high) + "]";
}

std::string describe_pair(std::int64_t first, std::int64_t second) {
    return "(" + std::to_string(first) + ", " + std::to_string(second) + ")";
}

/// (K, 2): the given bounds, checked, or the rig's.
std::vector<double> shape_bounds(const rig::BlendshapeRig& rig, View<const double, 2> given) {
    const std::int64_t shapes = rig.num_shapes();
    const std::vector<double> own(rig.bounds().begin(), rig.bounds().end());
    const View<const double, 2> bounds =
        given.data() == nullptr ? View<const double, 2>(own.data(), {shapes, 2}) : given;
    check_shape<const double, 2>("solve", "bounds", bounds, {shapes, 2});
    check_finite("solve", "bounds", bounds);
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (bounds(k, 0) <= bounds(k, 1)) continue;
        throw bad_argument("solve", "bounds",
                           describe_bounds(bounds(k, 0), bounds(k, 1)) + " for shape " + std::to_string(k),
                           "lower <= upper");
    }
    double largest = 0.0;
    for (const double x : bounds) largest = std::max(largest, std::abs(x));
    if (largest > largest_weight) {
        throw bad_argument("solve", "bounds", "as large as " + describe_number(largest),
                           "at most " + describe_number(largest_weight));
    }
    return {bounds.begin(), bounds.end()};
}

std::vector<std::int32_t> read_ties(const std::vector<std::array<std::int32_t, 2>>& pairs, std::int64_t shapes) {
    std::vector<std::int32_t> ties(static_cast<std::size_t>(shapes));
    std::iota(ties.begin(), ties.end(), 0);
    std::vector<char> used(ties.size(), 0);
    for (const auto& [first, second] : pairs) {
        for (const std::int32_t shape : {first, second}) {
            if (shape >= 0 && shape < shapes) continue;
            throw bad_argument("solve", "symmetric", std::to_string(shape),
                               "shape indices below " + std::to_string(shapes));
        }
        if (first == second || used[first] || used[second]) {
            throw bad_argument("solve", "symmetric", describe_pair(first, second) + " with a shape used twice",
                               "disjoint pairs");
        }
        used[first] = used[second] = 1;
        ties[second] = first;
    }
    return ties;
}

void check_inside(const char* argument, double value, const WeightBox& box, std::int64_t i) {
    if (value >= box.lower[i] && value <= box.upper[i]) return;
    const std::string place =
        " at frame " + std::to_string(i / box.num_shapes) + ", shape " + std::to_string(i % box.num_shapes);
    throw bad_argument("solve", argument, describe_number(value) + place,
                       "inside the bounds " + describe_bounds(box.lower[i], box.upper[i]));
}

void pin(View<const double, 2> fixed, WeightBox& box) {
    if (fixed.data() == nullptr) return;
    check_shape<const double, 2>("solve", "fixed", fixed, {box.num_frames, box.num_shapes});
    for (std::int64_t i = 0; i < fixed.size(); ++i) {
        const double value = fixed.data()[i];
        if (std::isnan(value)) continue;
        check_inside("fixed", value, box, i);
        box.lower[i] = box.upper[i] = value;
    }
}

/// Gives both shapes of a pair the intersection of their boxes.
void tie(WeightBox& box) {
    for (std::int64_t k = 0; k < box.num_shapes; ++k) {
        const std::int64_t first = box.ties[k];
        if (first == k) continue;
        for (std::int64_t t = 0; t < box.num_frames; ++t) {
            double* lower = box.lower.data() + t * box.num_shapes;
            double* upper = box.upper.data() + t * box.num_shapes;
            const double low = std::max(lower[first], lower[k]);
            const double high = std::min(upper[first], upper[k]);
            if (low > high) {
                throw bad_argument("solve", "symmetric",
                                   describe_pair(first, k) + " with bounds or pins that share no value",
                                   "pairs that can be equal");
            }
            lower[first] = lower[k] = low;
            upper[first] = upper[k] = high;
        }
    }
}

/// (K): 1 for idle shapes without priors, and without pins that a temporal term spreads to other frames: nothing asks
/// for their weights.
std::vector<char> unneeded(const RigGram& gram, const ShotTargets& shot, const WeightBox& box) {
    std::vector<char> result = gram.idle();
    for (std::int64_t t = 0; t < box.num_frames; ++t) {
        for (std::int64_t k = 0; k < box.num_shapes; ++k) {
            const std::int64_t i = t * box.num_shapes + k;
            const bool pinned = box.lower[i] == box.upper[i];
            const bool prior = shot.prior_strength.data() != nullptr && shot.prior_strength(t, k) != 0.0;
            if (prior || (shot.smoothness > 0.0 && pinned)) result[k] = 0;
        }
    }
    return result;
}

}  // namespace

WeightBox make_box(const RigGram& gram, const ShotTargets& shot) {
    const std::int64_t shapes = gram.rig().num_shapes();
    const std::vector<double> bounds = shape_bounds(gram.rig(), shot.bounds);
    WeightBox box{shot.targets.extent(0), shapes, read_ties(shot.symmetric, shapes)};
    box.lower.resize(static_cast<std::size_t>(box.num_frames * shapes));
    box.upper.resize(box.lower.size());
    for (std::int64_t t = 0; t < box.num_frames; ++t) {
        for (std::int64_t k = 0; k < shapes; ++k) {
            box.lower[t * shapes + k] = bounds[2 * k];
            box.upper[t * shapes + k] = bounds[2 * k + 1];
        }
    }
    pin(shot.fixed, box);
    tie(box);
    rest(box, unneeded(gram, shot, box));
    return box;
}

void rest(WeightBox& box, std::span<const char> shapes) {
    std::vector<char> is_free(static_cast<std::size_t>(box.num_shapes), 0);  // by variable
    for (std::int64_t k = 0; k < box.num_shapes; ++k) {
        if (!shapes[k]) is_free[box.ties[k]] = 1;
    }
    for (std::int64_t k = 0; k < box.num_shapes; ++k) {
        if (is_free[box.ties[k]]) continue;
        for (std::int64_t i = k; i < box.num_frames * box.num_shapes; i += box.num_shapes) {
            box.lower[i] = box.upper[i] = std::min(std::max(0.0, box.lower[i]), box.upper[i]);
        }
    }
}

std::vector<double> start_inside(const WeightBox& box, View<const double, 2> init) {
    check_shape<const double, 2>("solve", "init", init, {box.num_frames, box.num_shapes});
    check_finite("solve", "init", init);
    std::vector<double> start(box.lower.size());
    for (std::int64_t t = 0; t < box.num_frames; ++t) {
        for (std::int64_t k = 0; k < box.num_shapes; ++k) {
            const std::int64_t i = t * box.num_shapes + k;
            if (box.lower[i] != box.upper[i]) check_inside("init", init(t, k), box, i);  // pins win over the start
            start[i] = std::min(std::max(init(t, box.ties[k]), box.lower[i]), box.upper[i]);
        }
    }
    return start;
}

}  // namespace rigcast::inverse
