#include "rigcast/baseline/models/feature_map.h"

#include <algorithm>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/network/split_memory.h"

namespace rigcast::baseline {

using network::Activation;
using network::dense_kernels;

/// The arrays of the working memory of one pose.
struct FeatureMap::Memory {
    Memory(float* memory, const FeatureMap& map) {
        network::SplitMemory split(memory);
        z = split.take(map.project_.padded());
        inputs = split.take(map.project_.padded_inputs());
        features = split.take(map.weight_.padded_inputs());
        size = split.used();
    }
    float* z;         // (D)
    float* inputs;    // (M) x_S - m
    float* features;  // (F) f(z)
    std::size_t size;
};

FeatureMap::FeatureMap(const TensorFile& tensors, std::int64_t num_controls) {
    const auto column = tensors.get<std::int32_t, 1>("map.column");
    const auto mean = tensors.get<float, 1>("map.mean", {column.extent(0)});
    const auto project = tensors.get<float, 2>("map.project", {-1, column.extent(0)});
    const auto weight = tensors.get<float, 2>("map.weight");
    const auto bias = tensors.get<float, 1>("map.bias", {weight.extent(0)});
    const std::int64_t d = project.extent(0);
    if (weight.extent(1) != d && weight.extent(1) != d + d * (d + 1) / 2) {
        throw bad_argument("load", "map.weight", std::to_string(weight.extent(1)) + " wide",
                           "as wide as linear or quadratic features of " + std::to_string(d) + " inputs");
    }
    for (const std::int32_t c : column) {
        if (c < 0 || c >= num_controls) {
            throw bad_argument("load", "map.column", "holding " + std::to_string(c),
                               "pose columns below " + std::to_string(num_controls));
        }
    }
    column_.assign(column.begin(), column.end());
    mean_.assign(mean.begin(), mean.end());
    const std::vector<float> zeros(static_cast<std::size_t>(d), 0.0f);
    project_ = network::pack_dense(project, {zeros.data(), {d}}, Activation::none, packed_);
    weight_ = network::pack_dense(weight, bias, Activation::none, packed_);
}

std::size_t FeatureMap::memory_size() const {
    return Memory(nullptr, *this).size;
}

void FeatureMap::expand(const float* z, float* features) const {
    const int d = project_.outputs;
    std::copy_n(z, d, features);
    if (!is_quadratic()) return;
    float* next = features + d;
    for (int i = 0; i < d; ++i) {
        for (int j = i; j < d; ++j) *next++ = z[i] * z[j];
    }
}

void FeatureMap::evaluate(const float* pose, float* memory, float* y) const {
    const Memory m(memory, *this);
    for (std::size_t i = 0; i < column_.size(); ++i) m.inputs[i] = pose[column_[i]] - mean_[i];
    dense_kernels().dense(project_, packed_, {m.inputs, 0}, {m.z, 0}, 1);
    expand(m.z, m.features);
    dense_kernels().dense(weight_, packed_, {m.features, 0}, {y, 0}, 1);
}

}  // namespace rigcast::baseline
