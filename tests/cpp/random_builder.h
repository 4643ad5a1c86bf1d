#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "random_model.h"

namespace rigcast::checks {

/// Random arrays by name, added to a file.
class Builder {
public:
    explicit Builder(std::uint64_t seed) : random_(seed) {}

    float normal(float scale = 1.0f) { return scale * std::normal_distribution<float>()(random_); }
    int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

    void noise(const std::string& name, std::vector<std::int64_t> shape, float scale) {
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) count *= extent;
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = normal(scale);
        file.add(name, std::move(shape), values.data());
    }
    template <class T>
    void list(const std::string& name, const std::vector<T>& values) {
        file.add(name, {static_cast<std::int64_t>(values.size())}, values.data());
    }

    TensorFile file;

private:
    std::mt19937_64 random_;
};

/// Two joints of each vertex, with equal weights.
inline void add_skin(Builder& builder, const Sizes& sizes) {
    std::vector<std::int32_t> joint;
    for (int i = 0; i < 2 * sizes.vertices; ++i) joint.push_back(builder.below(sizes.joints));
    const std::vector<float> weight(joint.size(), 0.5f);
    builder.file.add("skin.joint", {sizes.vertices, 2}, joint.data());
    builder.file.add("skin.weight", {sizes.vertices, 2}, weight.data());
}

}  // namespace rigcast::checks
