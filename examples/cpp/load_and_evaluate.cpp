// Loads a model file of any kind and evaluates it in its neutral pose: load_and_evaluate MODEL.safetensors
#include <rigcast/rigcast.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

namespace {

/// A pose: the rest transforms of all joints, then each numeric control at the value nearest to 0 in its range.
std::vector<float> neutral_pose(const rigcast::rig::Character& character) {
    const auto rest = character.skeleton.rest();
    std::vector<float> pose(rest.begin(), rest.end());
    for (auto c = static_cast<std::int64_t>(pose.size()); c < character.num_controls(); ++c) {
        pose.push_back(std::clamp(0.0f, character.control_ranges(c, 0), character.control_ranges(c, 1)));
    }
    return pose;
}

}  // namespace

int main(int count, char** arguments) try {
    using namespace rigcast;
    if (count != 2) return std::puts("usage: load_and_evaluate MODEL.safetensors"), 2;
    const auto file = std::make_shared<const TensorFile>(TensorFile::read(arguments[1]));
    const auto model = make_model(file);
    const rig::Character& character = model->character();
    const std::int64_t vertices = character.num_vertices();
    const std::int64_t controls = character.num_controls();

    const std::vector<float> pose = neutral_pose(character);
    std::vector<float> points(static_cast<std::size_t>(3 * vertices));
    model->evaluate({pose.data(), {1, controls}}, {points.data(), {1, vertices, 3}}, 0);

    const auto [low, high] = std::minmax_element(points.begin(), points.end());
    std::printf("rigcast %s: a %s model of %lld vertices and %lld controls, coordinates from %g to %g\n",
                RIGCAST_VERSION, character.kind.c_str(), static_cast<long long>(vertices),
                static_cast<long long>(controls), *low, *high);
    return 0;
} catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
}
