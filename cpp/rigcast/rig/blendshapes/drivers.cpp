#include "rigcast/rig/blendshapes/drivers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/rig/offsets.h"

namespace rigcast::rig {
namespace {

/// Narrowest side of a tent: the reciprocal of the smallest normal number, its slope, is still finite.
constexpr float min_side = std::numeric_limits<float>::min();

Driver read_driver(std::int32_t shape, const float* tent, std::int64_t num_shapes, const std::string& correction) {
    if (shape < 0 || shape >= num_shapes) {
        throw bad_argument("load", "blendshape.factor.shape of " + correction, std::to_string(shape),
                           "a shape below " + std::to_string(num_shapes));
    }
    const bool is_tent = std::any_of(tent, tent + 3, [](float x) { return x != 0.0f; });
    const bool is_steep = tent[1] - tent[0] < min_side || tent[2] - tent[1] < min_side;
    if (is_tent && (is_steep || !std::isfinite(tent[2] - tent[0]))) {
        throw bad_argument("load", "blendshape.factor.tent of " + correction,
                           std::to_string(tent[0]) + ", " + std::to_string(tent[1]) + ", " + std::to_string(tent[2]),
                           "ascending, with distances and slopes that are finite");
    }
    return {shape, is_tent, {tent[0], tent[1], tent[2]}};
}

void check_correction(std::span<const Driver> drivers, const std::string& correction) {
    if (drivers.size() < 2 && !(drivers.size() == 1 && drivers[0].is_tent)) {
        throw bad_argument("load", correction, std::to_string(drivers.size()) + " drivers",
                           "two drivers or more, or a single tent");
    }
    for (std::size_t i = 0; i < drivers.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (drivers[i].shape != drivers[j].shape) continue;
            throw bad_argument("load", correction,
                               "a product with shape " + std::to_string(drivers[i].shape) + " twice",
                               "a product of different shapes");
        }
    }
}

}  // namespace

Drivers::Drivers(const TensorFile& tensors, std::int64_t num_shapes) {
    const auto shape = tensors.get<std::int32_t, 1>("blendshape.factor.shape");
    const auto tent = tensors.get<float, 2>("blendshape.factor.tent", {shape.extent(0), 3});
    const std::int64_t corrections = tensors.get<std::int32_t, 1>("blendshape.factor.offset").extent(0) - 1;
    if (corrections < 0) throw bad_argument("load", "blendshape.factor.offset", "empty", "one element or more");
    const auto offset = read_offsets(tensors, "blendshape.factor.offset", corrections, shape.extent(0));
    offset_.assign(offset.begin(), offset.end());
    driver_.reserve(static_cast<std::size_t>(shape.extent(0)));
    for (std::int64_t c = 0; c < corrections; ++c) {
        const std::string name = "correction " + std::to_string(c);
        for (std::int32_t i = offset(c); i < offset(c + 1); ++i) {
            driver_.push_back(read_driver(shape(i), tent.row(i), num_shapes, name));
        }
        check_correction(of(c), name);
    }
}

std::int64_t Drivers::num_bytes() const {
    return static_cast<std::int64_t>(offset_.size() * sizeof(offset_[0]) + driver_.size() * sizeof(Driver));
}

float Drivers::activation(std::int64_t correction, const float* weights) const {
    float product = 1.0f;
    for (const Driver& driver : of(correction)) product *= driver.value(weights[driver.shape]);
    return product;
}

float Drivers::activation_tangent(std::int64_t correction, const float* weights, const float* tangents) const {
    const std::span<const Driver> drivers = of(correction);
    float sum = 0.0f;
    for (const Driver& driver : drivers) {
        float product = tangents[driver.shape] * driver.slope(weights[driver.shape]);
        for (const Driver& other : drivers) {
            if (&other != &driver) product *= other.value(weights[other.shape]);
        }
        sum += product;
    }
    return sum;
}

void Drivers::add_vjp(std::int64_t correction, const float* weights, float gradient, float* weight_gradients) const {
    const std::span<const Driver> drivers = of(correction);
    for (const Driver& driver : drivers) {
        float product = gradient * driver.slope(weights[driver.shape]);
        for (const Driver& other : drivers) {
            if (&other != &driver) product *= other.value(weights[other.shape]);
        }
        weight_gradients[driver.shape] += product;
    }
}

}  // namespace rigcast::rig
