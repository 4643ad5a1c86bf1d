#include "rigcast/body/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "rigcast/rig/overflow.h"

namespace rigcast::body {
namespace {

double largest(const float* begin, const float* end) {
    float most = 0.0f;
    for (const float* x = begin; x != end; ++x) {
        if (!std::isfinite(*x)) return std::numeric_limits<double>::infinity();
        most = std::max(most, std::abs(*x));
    }
    return most;
}

/// The size of one tensor name's tensors over all sets.
struct Magnitude {
    double value = 0.0;    // the largest magnitude of an element
    double columns = 0.0;  // the longest row
};

Magnitude of_sets(const TensorFile& tensors, std::string_view end) {
    Magnitude found;
    for (const auto& [name, entry] : tensors.entries()) {
        if (entry.dtype != DType::f32 || !name.starts_with("set.") || !name.ends_with(end)) continue;
        double count = 1.0;
        for (const std::int64_t extent : entry.shape) count *= static_cast<double>(extent);
        const float* data = tensors.data(entry);
        found.value = std::max(found.value, largest(data, data + static_cast<std::int64_t>(count)));
        if (!entry.shape.empty()) found.columns = std::max(found.columns, static_cast<double>(entry.shape.back()));
    }
    return found;
}

/// An upper bound of a dense layer's outputs for inputs of magnitude 1.
double max_output(const TensorFile& tensors, const std::string& layer) {
    const Magnitude weight = of_sets(tensors, layer + ".weight");
    return of_sets(tensors, layer + ".bias").value + weight.columns * weight.value;
}

/// An upper bound of the coordinates of base points: (X^0)^-1 (v^0 - t^0) + mean.
double max_base(const rig::Character& character) {
    const auto rest = character.skeleton.rest_globals();
    const auto inverse = character.skeleton.inverse_rest_globals();
    const double distance =
        largest(character.rest_vertices.begin(), character.rest_vertices.end()) + largest(rest.begin(), rest.end());
    return 3.0 * largest(inverse.begin(), inverse.end()) * distance + of_sets(*character.tensors, ".mean").value;
}

}  // namespace

Limits find_limits(const rig::Character& character) {
    constexpr double limit = 0.25 * std::numeric_limits<float>::max();
    constexpr double rounding = 1.001;  // of tanh and of the sums
    const TensorFile& tensors = *character.tensors;
    const Magnitude first = of_sets(tensors, "layer1.weight");
    const Magnitude basis = of_sets(tensors, ".basis");
    const double hidden = rounding * max_output(tensors, "layer2");
    const double coefficients = rounding * max_output(tensors, "layer3");
    const double room = limit - of_sets(tensors, "layer1.bias").value;
    const double scale = first.columns * first.value;
    Limits limits;
    limits.pose = std::numeric_limits<float>::max();
    if (room < scale * limits.pose) limits.pose = static_cast<float>(std::max(0.0, room / scale));
    if (hidden <= limit && coefficients <= limit && room >= 0.0) {
        limits.transform =
            rig::transform_limit(max_base(character) + rounding * basis.columns * basis.value * coefficients);
    }
    return limits;
}

}  // namespace rigcast::body
