#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/inverse/solve.h"

namespace rigcast::inverse {
namespace {

std::string describe(double low, double high) {
    return std::string("[") + std::to_string(low) + ", " + std::to_string(high) + "]";
}

std::string describe_pair(std::int64_t first, std::int64_t second) {
    return std::string("(") + std::to_string(first) + ", " + std::to_string(second) + ")";
}

/// (K, 2): the given bounds, checked, or the rig's.
std::vector<double> shape_bounds(const rig::BlendshapeRig& rig, View<const double, 2> given) {
    const std::int64_t shapes = rig.num_shapes();
    if (given.data() == nullptr) return {rig.bounds().begin(), rig.bounds().end()};
    check_shape<const double, 2>("solve", "bounds", given, {shapes, 2});
    check_finite("solve", "bounds", given);
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (given(k, 0) <= given(k, 1)) continue;
        throw bad_argument("solve", "bounds", describe(given(k, 0), given(k, 1)) + " for shape " + std::to_string(k),
                           "lower <= upper");
    }
    if (std::any_of(given.begin(), given.end(), [](double x) { return std::abs(x) > largest_weight; })) {
        throw bad_argument("solve", "bounds", "larger than 1e12 somewhere", "at most 1e12");
    }
    return {given.begin(), given.end()};
}

std::vector<std::int32_t> read_ties(const std::vector<std::array<std::int32_t, 2>>& pairs, std::int64_t shapes) {
    std::vector<std::int32_t> ties(static_cast<std::size_t>(shapes));
    std::iota(ties.begin(), ties.end(), 0);
    std::vector<char> used(ties.size(), 0);
    for (const auto& [first, second] : pairs) {
        const std::string pair = describe_pair(first, second);
        if (std::min(first, second) < 0 || std::max(first, second) >= shapes) {
            throw bad_argument("solve", "ties", pair, "shape indices below " + std::to_string(shapes));
        }
        if (first == second || used[first] || used[second]) {
            throw bad_argument("solve", "ties", pair + " with a shape used twice", "disjoint pairs");
        }
        used[first] = used[second] = 1;
        ties[second] = first;
    }
    return ties;
}

/// Gives both shapes of a pair the intersection of their boxes.
void tie_boxes(WeightBox& box, std::int64_t frames, std::int64_t shapes) {
    for (std::int64_t k = 0; k < shapes; ++k) {
        const std::int64_t first = box.ties[k];
        if (first == k) continue;
        for (std::int64_t t = 0; t < frames; ++t) {
            double* lower = box.lower.data() + t * shapes;
            double* upper = box.upper.data() + t * shapes;
            const double low = std::max(lower[first], lower[k]);
            const double high = std::min(upper[first], upper[k]);
            if (low > high) {
                throw bad_argument("solve", "ties",
                                   describe_pair(first, k) + " with bounds or pins that share no value",
                                   "pairs that can be equal");
            }
            lower[first] = lower[k] = low;
            upper[first] = upper[k] = high;
        }
    }
}

/// (K): 1 for shapes that have priors, or pins and a temporal term: their weights matter even if they move no vertex.
std::vector<char> matter_alone(const ShotTargets& shot, const WeightBox& box, std::int64_t frames,
                               std::int64_t shapes) {
    std::vector<char> result(static_cast<std::size_t>(shapes), 0);
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::int64_t k = 0; k < shapes; ++k) {
            const std::int64_t i = t * shapes + k;
            const bool pinned = box.lower[i] == box.upper[i];
            const bool prior = shot.prior_strength.data() != nullptr && shot.prior_strength(t, k) != 0.0;
            if (prior || (shot.smoothness > 0.0 && pinned)) result[k] = 1;
        }
    }
    return result;
}

/// Pins idle shapes at the point of their box nearest to 0, unless they are tied to a shape that is not idle.
void pin_idle(const RigGram& gram, const ShotTargets& shot, WeightBox& box, std::int64_t frames, std::int64_t shapes) {
    const std::vector<char> idle = gram.idle();
    const std::vector<char> matters = matter_alone(shot, box, frames, shapes);
    std::vector<char> is_free(static_cast<std::size_t>(shapes), 0);  // by variable
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (!idle[k] || matters[k]) is_free[box.ties[k]] = 1;
    }
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (is_free[box.ties[k]]) continue;
        for (std::int64_t t = 0; t < frames; ++t) {
            double& low = box.lower[t * shapes + k];
            double& high = box.upper[t * shapes + k];
            low = high = std::min(std::max(0.0, low), high);
        }
    }
}

void pin(View<const double, 2> fixed, WeightBox& box, std::int64_t frames, std::int64_t shapes) {
    if (fixed.data() == nullptr) return;
    check_shape<const double, 2>("solve", "fixed", fixed, {frames, shapes});
    for (std::int64_t i = 0; i < fixed.size(); ++i) {
        const double value = fixed.data()[i];
        if (std::isnan(value)) continue;
        if (!(value >= box.lower[i] && value <= box.upper[i])) {
            throw bad_argument("solve", "fixed", std::to_string(value) + " at " + describe_place(fixed, i),
                               "inside the bounds " + describe(box.lower[i], box.upper[i]));
        }
        box.lower[i] = box.upper[i] = value;
    }
}

}  // namespace

WeightBox make_box(const RigGram& gram, const ShotTargets& shot) {
    const std::int64_t frames = shot.targets.extent(0);
    const std::int64_t shapes = gram.rig().num_shapes();
    const std::vector<double> bounds = shape_bounds(gram.rig(), shot.bounds);
    WeightBox box;
    box.ties = read_ties(shot.ties, shapes);
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::int64_t k = 0; k < shapes; ++k) {
            box.lower.push_back(bounds[2 * k]);
            box.upper.push_back(bounds[2 * k + 1]);
        }
    }
    pin(shot.fixed, box, frames, shapes);
    tie_boxes(box, frames, shapes);
    pin_idle(gram, shot, box, frames, shapes);
    return box;
}

}  // namespace rigcast::inverse
