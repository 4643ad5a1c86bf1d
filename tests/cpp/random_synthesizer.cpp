#include "random_synthesizer.h"

#include <cmath>
#include <string>
#include <vector>

#include "random_builder.h"

namespace rigcast::checks {
namespace {

constexpr std::int64_t controls = 4, dimensions = 2, components = 3, inducing = 8;
constexpr int frames = 24;

constexpr const char* metadata =
    R"({"kind": "synthesis", "version": 1, "fps": 30.0, "threshold": 10.0, "rotation_orders": [],)"
    R"( "control_names": ["a", "b", "c", "d"], "spaces": [)"
    R"({"label": "rest", "variance": 1.0, "length": 0.8, "noise": 0.01, "clips": [{"name": "one"}]},)"
    R"({"label": "talk", "variance": 1.0, "length": 0.8, "noise": 0.01, "clips": [{"name": "two"}, {"name": "three"}]}],)"
    R"( "bridges": [{"from": "rest", "to": "talk", "within": true}]})";

/// Points of a loop, whose number in the file is also that of its frames.
std::vector<float> loop(Builder& builder) {
    std::vector<float> points;
    for (int i = 0; i < frames; ++i) {
        const float angle = 6.2831853f * static_cast<float>(i) / frames;
        points.insert(points.end(), {std::cos(angle) + builder.normal(0.02f), std::sin(angle) + builder.normal(0.02f)});
    }
    return points;
}

void add_space(Builder& builder, const std::string& place, const std::vector<std::int32_t>& segments, bool sparse) {
    const std::vector<float> points = loop(builder);
    builder.file.add(place + "points", {frames, dimensions}, points.data());
    if (sparse) builder.file.add(place + "inducing", {inducing, dimensions}, points.data());
    builder.noise(place + "values", {frames, components}, 1.0f);
    builder.noise(place + "frames", {frames, controls}, 0.3f);
    builder.noise(place + "basis", {components, controls}, 0.3f);
    builder.noise(place + "center", {controls}, 0.1f);
    const auto clips = static_cast<std::int64_t>(segments.size() / 2);
    builder.file.add(place + "segments", {clips, 2}, segments.data());
}

}  // namespace

TensorFile random_synthesizer(std::uint64_t seed) {
    Builder builder(seed);
    builder.file.set_metadata(metadata);
    builder.file.add("limits", {controls, 2}, std::vector<float>{-1, 1, -1, 1, 0, 1, 0, 1}.data());
    builder.noise("mean", {controls}, 0.1f);
    builder.noise("effects", {controls, 3}, 1.0f);
    add_space(builder, "space.000.", {0, frames}, false);
    add_space(builder, "space.001.", {0, 10, 10, frames}, true);
    builder.file.add("bridge.000.from", {2, dimensions}, loop(builder).data());
    builder.file.add("bridge.000.to", {2, dimensions}, loop(builder).data());
    builder.file.add("bridge.000.distance", {2}, std::vector<float>{0.5f, 1.0f}.data());
    return std::move(builder.file);
}

}  // namespace rigcast::checks
