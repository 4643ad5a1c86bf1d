#include "rigcast/rig/blendshapes/blendshape_rig.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::rig {
namespace {

void check_names(const Character& character) {
    if (character.skeleton.num_joints() != 0) {
        throw bad_argument("load", "metadata.joint_names", "not empty", "empty: blendshapes have no joints");
    }
    std::set<std::string> seen;
    for (const std::string& name : character.control_names) {
        if (!seen.insert(name).second) {
            throw bad_argument("load", "metadata.numeric_controls", "'" + name + "' twice", "unique");
        }
    }
    if (seen.empty()) throw bad_argument("load", "metadata.numeric_controls", "empty", "one shape or more");
}

void check_bounds(const Character& character) {
    for (std::int64_t k = 0; k < character.num_controls(); ++k) {
        const float low = character.control_ranges(k, 0);
        const float high = character.control_ranges(k, 1);
        if (low <= high) continue;
        throw bad_argument("load", "control_ranges of shape " + std::to_string(k),
                           std::to_string(low) + " to " + std::to_string(high), "the lower bound first");
    }
}

void check_combination_names(const Metadata& metadata, std::int64_t corrections) {
    if (!metadata.contains("combination_names")) return;
    const std::size_t count = metadata.names("combination_names").size();
    if (count == static_cast<std::size_t>(corrections)) return;
    throw bad_argument("load", "metadata.combination_names", std::to_string(count) + " long",
                       std::to_string(corrections) + " long, one name per correction");
}

}  // namespace

void check_prefix(const char* function, const Prefix& prefix, std::int64_t num_shapes, std::int64_t num_frames) {
    check_shape<const std::int32_t, 1>(function, "order", prefix.order, {num_shapes});
    check_shape<const std::int32_t, 1>(function, "prefix", prefix.length, {num_frames});
    std::vector<bool> seen(static_cast<std::size_t>(num_shapes));
    for (const std::int32_t shape : prefix.order) {
        if (shape < 0 || shape >= num_shapes || seen[shape]) {
            throw bad_argument(function, "order", "holding " + std::to_string(shape), "each shape once");
        }
        seen[shape] = true;
    }
    for (const std::int32_t length : prefix.length) {
        if (length >= 0 && length <= num_shapes) continue;
        throw bad_argument(function, "prefix", std::to_string(length), "0 to " + std::to_string(num_shapes));
    }
}

BlendshapeRig::BlendshapeRig(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)),
      drivers_(*character().tensors, character().num_controls()),
      grouped_(*character().tensors, character().num_vertices(),
               character().num_controls() + drivers_.num_corrections()) {
    check_names(character());
    check_bounds(character());
    const Metadata& metadata = character().tensors->metadata();
    if (metadata.contains("constructed")) constructed_ = metadata.names("constructed");
    check_combination_names(metadata, drivers_.num_corrections());
    weight_limit_ = find_weight_limit();
}

/// By the triangle inequality, with the largest offset of all columns for each.
float BlendshapeRig::find_weight_limit() const {
    constexpr double limit = 0.5 * std::numeric_limits<float>::max();
    const double offset = grouped_.largest_offset();
    double neutral = 0.0;
    for (const float x : character().rest_vertices) neutral = std::max(neutral, std::abs(double{x}));
    const auto fits = [&](double weight) {
        double sum = neutral + static_cast<double>(num_shapes()) * weight * offset;
        for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
            double activation = 1.0;
            for (const Driver& driver : drivers_.of(c)) activation *= driver.is_tent ? 1.0 : std::max(weight, 1.0);
            if (activation > limit) return false;
            sum += activation * offset;
        }
        return sum <= limit;
    };
    for (double weight = 0x1p126; weight >= 0x1p-126; weight *= 0.5) {
        if (fits(weight)) return static_cast<float>(weight);
    }
    return 0.0f;
}

void BlendshapeRig::column(std::int64_t n, View<float, 2> delta) const {
    if (n < 0 || n >= num_columns()) {
        throw bad_argument("column", "n", std::to_string(n), "a column below " + std::to_string(num_columns()));
    }
    check_shape<float, 2>("column", "delta", delta, {character().num_vertices(), 3});
    grouped_.column(n, delta);
}

void BlendshapeRig::activations(View<const float, 1> weights, View<float, 1> columns) const {
    check_shape<const float, 1>("activations", "weights", weights, {num_shapes()});
    check_shape<float, 1>("activations", "columns", columns, {num_columns()});
    std::copy(weights.begin(), weights.end(), columns.begin());
    for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
        columns(num_shapes() + c) = drivers_.activation(c, weights.data());
    }
}

std::int64_t BlendshapeRig::num_bytes() const {
    std::int64_t bytes = drivers_.num_bytes() + grouped_.num_bytes();
    for (const auto& [name, entry] : character().tensors->entries()) {
        std::int64_t count = 1;
        for (const std::int64_t extent : entry.shape) count *= extent;
        bytes += 4 * count;
    }
    return bytes;
}

}  // namespace rigcast::rig
