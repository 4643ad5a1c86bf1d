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

/// Two joints of each vertex, with equal weights; on a sheet, of neighboring joints along its rows.
inline void add_skin(Builder& builder, const Sizes& sizes) {
    std::vector<std::int32_t> joint;
    std::vector<float> weight(2 * static_cast<std::size_t>(sizes.vertices), 0.5f);
    for (int i = 0; sizes.row == 0 && i < 2 * sizes.vertices; ++i) joint.push_back(builder.below(sizes.joints));
    for (int k = 0; sizes.row > 0 && k < sizes.vertices; ++k) {
        const int along = k % sizes.row * (sizes.joints - 1), second = along % sizes.row;
        joint.insert(joint.end(), {along / sizes.row, along / sizes.row + 1});
        weight[2 * k + 1] = static_cast<float>(second) / static_cast<float>(sizes.row);
        weight[2 * k] = 1.0f - weight[2 * k + 1];
    }
    builder.file.add("skin.joint", {sizes.vertices, 2}, joint.data());
    builder.file.add("skin.weight", {sizes.vertices, 2}, weight.data());
}

}  // namespace rigcast::checks
